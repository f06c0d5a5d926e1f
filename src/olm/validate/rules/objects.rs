//! Objects that can disturb a cluster.

use crate::olm::read::{Document, Node};
use crate::olm::validate::input::Input;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Objects;

/// The security context constraints that OpenShift comes with.
const CONSTRAINTS: [&str; 8] = [
    "privileged",
    "restricted",
    "anyuid",
    "hostaccess",
    "hostmount-anyuid",
    "hostnetwork",
    "node-exporter",
    "nonroot",
];

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Objects,
        "pdb-max-unavailable",
        "A PodDisruptionBudget allows a pod to be unavailable",
        "set `maxUnavailable` to more than 0",
        |input, found| {
            for budget in of_kind(input, "PodDisruptionBudget") {
                let most = budget.at("spec.maxUnavailable");
                if most.value.as_i64() == Some(0) || ["0", "0%"].contains(&most.text()) {
                    found.at(&most, "no pod can be evicted, so nodes cannot be drained");
                }
            }
        },
    ),
    Rule::error(
        Objects,
        "pdb-min-available",
        "A PodDisruptionBudget does not want all pods to be available",
        "set `minAvailable` to less than `100%`",
        |input, found| {
            for budget in of_kind(input, "PodDisruptionBudget") {
                let least = budget.at("spec.minAvailable");
                if least.text() == "100%" {
                    found.at(&least, "no pod can be evicted, so nodes cannot be drained");
                }
            }
        },
    ),
    Rule::error(
        Objects,
        "priority-class-default",
        "A PriorityClass is not the default of the cluster",
        "set `globalDefault: false`",
        |input, found| {
            for class in of_kind(input, "PriorityClass") {
                let default = class.get("globalDefault");
                if default.is_true() {
                    found.at(
                        &default,
                        "the class would apply to all pods of the cluster that name none",
                    );
                }
            }
        },
    ),
    Rule::warning(
        Objects,
        "rbac-pdb",
        "Roles do not change PodDisruptionBudgets",
        "remove `create`, `update` and `patch` on `poddisruptionbudgets`",
        |input, found| {
            for rule in rules(input) {
                let verbs = ["*", "create", "update", "patch"];
                if allows(&rule, "policy", "poddisruptionbudgets", &verbs) {
                    found.at(&rule, "the role may change PodDisruptionBudgets");
                }
            }
        },
    ),
    Rule::error(
        Objects,
        "rbac-scc",
        "Roles do not change the SecurityContextConstraints that OpenShift comes with",
        "use constraints of your own",
        |input, found| {
            for rule in rules(input) {
                let verbs = ["*", "delete", "update", "patch"];
                let group = "security.openshift.io";
                let mut names = rule.get("resourceNames").texts();
                if allows(&rule, group, "securitycontextconstraints", &verbs)
                    && let Some(name) = names.find(|name| CONSTRAINTS.contains(name))
                {
                    let message = format!("the role may change the constraints `{name}`");
                    found.at(&rule, message);
                }
            }
        },
    ),
];

fn of_kind<'a>(input: &Input<'a>, kind: &'static str) -> impl Iterator<Item = Node<'a>> + use<'a> {
    input.bundle.of_kind(kind).map(Document::root)
}

fn rules<'a>(input: &Input<'a>) -> impl Iterator<Item = Node<'a>> + use<'a> {
    let roles = of_kind(input, "Role").chain(of_kind(input, "ClusterRole"));
    roles.flat_map(|role| role.get("rules").items())
}

fn allows(rule: &Node<'_>, group: &str, resource: &str, verbs: &[&str]) -> bool {
    rule.get("apiGroups").has(group)
        && rule.get("resources").has(resource)
        && verbs.iter().any(|verb| rule.get("verbs").has(verb))
}
