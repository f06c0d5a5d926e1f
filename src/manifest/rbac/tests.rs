//! From sources to documents.

use serde::Deserialize;

use super::catalog::tests::own_kinds;
use super::*;
use crate::yaml;

pub(super) fn options(namespaced: bool) -> Options {
    Options {
        role_name: "manager-role".into(),
        namespaced,
        account: Account {
            name: "controller-manager".into(),
            namespace: "system".into(),
        },
    }
}

fn source(text: &str) -> Source<'_> {
    Source {
        path: "src/controller/reconcile.rs",
        text,
    }
}

fn generate(text: &str, namespaced: bool) -> String {
    to_yaml(&[source(text)], namespaced).expect(text)
}

fn to_yaml(sources: &[Source], namespaced: bool) -> Result<String> {
    roles(sources, &own_kinds(), &options(namespaced))?.to_yaml()
}

fn refuse(sources: &[Source], namespaced: bool) -> (String, Vec<String>) {
    let error = to_yaml(sources, namespaced).expect_err("a problem");
    let chain: Vec<String> = error.chain().collect();
    assert_eq!(chain.len(), 1, "{chain:?}");
    (chain[0].clone(), error.hints().to_vec())
}

const OPERATOR: &str = r#"
//! +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch;create
/// +kubebuilder:rbac:groups=app.example.com,resources=appservices,verbs=get;list;watch
/// +kubebuilder:rbac:groups=app.example.com,resources=appservices/status,verbs=get;update;patch
// +kubebuilder:rbac:groups=core,resources=pods/log,verbs=get
// +kubebuilder:rbac:groups="",resources=pods;services,verbs=list;get
// +kubebuilder:rbac:groups=core,resources=secrets,resourceNames=b;a,verbs=get
//+rop:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create
const MARKER: &str = "
// +kubebuilder:rbac:groups=nowhere,resources=nothing,verbs=never
";
/*
// +kubebuilder:rbac:groups=nowhere,resources=nothing,verbs=never
*/
fn reconcile<'a>() {} // +kubebuilder:rbac:groups=batch,resources=jobs,verbs=*;get
"#;

const RULES: &str = r#"rules:
- apiGroups:
  - ""
  resources:
  - pods
  - services
  verbs:
  - get
  - list
- apiGroups:
  - ""
  resources:
  - pods/log
  verbs:
  - get
- apiGroups:
  - ""
  resourceNames:
  - a
  - b
  resources:
  - secrets
  verbs:
  - get
- apiGroups:
  - app.example.com
  resources:
  - appservices
  verbs:
  - get
  - list
  - watch
- apiGroups:
  - app.example.com
  resources:
  - appservices/status
  verbs:
  - get
  - patch
  - update
- apiGroups:
  - apps
  resources:
  - deployments
  - statefulsets
  verbs:
  - create
  - get
  - list
  - watch
- apiGroups:
  - batch
  resources:
  - jobs
  verbs:
  - "*"
"#;

#[test]
fn markers_become_a_role() {
    for (namespaced, kind) in [(false, "ClusterRole"), (true, "Role")] {
        assert_eq!(
            generate(OPERATOR, namespaced),
            format!(
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\n\
                 metadata:\n  name: manager-role\n{RULES}"
            )
        );
    }
}

#[test]
fn without_markers_the_role_grants_nothing() {
    for (namespaced, kind) in [(false, "ClusterRole"), (true, "Role")] {
        assert_eq!(
            generate("fn main() {}", namespaced),
            format!(
                "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\n\
                 metadata:\n  name: manager-role\nrules: []\n"
            )
        );
    }
}

#[test]
fn namespaces_and_names_make_roles_of_their_own() {
    let text = "
// +rop:rbac:groups=core,resources=pods,verbs=get,namespace=b
// +rop:rbac:groups=core,resources=pods,verbs=list,namespace=a
// +rop:rbac:groups=core,resources=pods,verbs=get,namespace=a,roleName=z
// +rop:rbac:groups=core,resources=nodes,verbs=get,roleName=node-reader
// +rop:rbac:groups=core,resources=pods,verbs=get,namespace=a
// +rop:rbac:urls=/metrics,verbs=get
";
    let role = |kind: &str, metadata: &str, subject: &str, verbs: &[&str]| {
        let verbs = verbs.join("\n  - ");
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: {kind}\nmetadata:\n{metadata}\
             rules:\n{subject}  verbs:\n  - {verbs}\n"
        )
    };
    let pods = "- apiGroups:\n  - \"\"\n  resources:\n  - pods\n";
    let binding = |metadata: &str| {
        let name = metadata.split_inclusive('\n').next().expect("a name");
        format!(
            "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata:\n{metadata}\
             roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: Role\n{name}\
             subjects:\n- kind: ServiceAccount\n  name: controller-manager\n  namespace: system\n"
        )
    };
    let a = "  name: manager-role-a\n  namespace: a\n";
    let z = "  name: z-a\n  namespace: a\n";
    let b = "  name: manager-role-b\n  namespace: b\n";
    assert_eq!(
        generate(text, false),
        [
            role(
                "ClusterRole",
                "  name: manager-role\n",
                "- nonResourceURLs:\n  - /metrics\n",
                &["get"]
            ),
            role(
                "ClusterRole",
                "  name: node-reader\n",
                "- apiGroups:\n  - \"\"\n  resources:\n  - nodes\n",
                &["get"]
            ),
            role("Role", a, pods, &["get", "list"]),
            binding(a),
            role("Role", z, pods, &["get"]),
            binding(z),
            role("Role", b, pods, &["get"]),
            binding(b),
        ]
        .join("---\n")
    );
}

#[test]
fn no_two_roles_have_one_name() {
    let text = "
// +rop:rbac:groups=core,resources=pods,verbs=get,namespace=a
// +rop:rbac:groups=core,resources=pods,verbs=list,roleName=manager-role-a
";
    // A ClusterRole is another kind.
    generate(text, false);
    let (message, hints) = refuse(&[source(text)], true);
    assert_eq!(
        message,
        "two Roles of the RBAC markers would have the name `manager-role-a`"
    );
    assert!(hints[0].contains("roleName"), "{hints:?}");
    let text = "
// +rop:rbac:groups=core,resources=pods,verbs=get,namespace=b,roleName=x-a
// +rop:rbac:groups=core,resources=pods,verbs=get,namespace=a-b,roleName=x
";
    refuse(&[source(text)], false);
}

#[test]
fn a_problem_has_its_line_and_a_hint() {
    let (message, hints) = refuse(
        &[source(
            "\n\n// +rop:rbac:groups=apps,resources=deployments,verbs=gett\n",
        )],
        false,
    );
    assert_eq!(
        message,
        "src/controller/reconcile.rs:3: unknown verb `gett`"
    );
    assert_eq!(hints, ["did you mean `get`?"]);
}

#[test]
fn all_problems_are_told_in_the_order_of_the_sources() {
    let b = Source {
        path: "src/b.rs",
        text: "// +rop:rbac:groups=core,resources=deployments;nodes,verbs=gett",
    };
    let a = Source {
        path: "src/a.rs",
        text: "// +rop:rbac:groups=apps,resources=deployments,verb=get
// +kubebuilder:rbac
// +rop:rbac:groups=apps,resources=deployments,verbs=get
// +rop:rbac:groups=apps,resources=deployments,verbs=get,list
// +rop:rbac:foo
// +rop:rbac:verbs",
    };
    let (message, hints) = refuse(&[b, a], true);
    assert_eq!(
        message,
        "the RBAC markers have 8 problems:
  src/a.rs:1: unknown key `verb` (did you mean `verbs`?)
  src/a.rs:2: the marker has no rule (write `+kubebuilder:rbac:groups=apps,resources=deployments,\
         verbs=get;list;watch`)
  src/a.rs:4: `list` has no value (a comma starts the next key: separate values by `;`, as in \
         `verbs=…;list`)
  src/a.rs:5: unknown key `foo` (the keys are groups, namespace, resourceNames, resources, roleName, urls, verbs)
  src/a.rs:6: `verbs` has no value (write `verbs=…`, or remove `verbs`)
  src/b.rs:1: `deployments` is not in the core group (it is in `apps`)
  src/b.rs:1: `nodes` is cluster-scoped: a Role cannot grant it (the project is namespaced: \
         grant it in a ClusterRole of your own)
  src/b.rs:1: unknown verb `gett` (did you mean `get`?)"
    );
    assert!(hints.is_empty());
}

#[test]
fn the_order_of_sources_and_markers_makes_no_difference() {
    let comments: Vec<&str> = OPERATOR.lines().filter(|l| l.starts_with('/')).collect();
    let markers: Vec<&str> = comments.into_iter().filter(|l| l.contains("+k")).collect();
    let valid: Vec<&str> = markers
        .iter()
        .copied()
        .filter(|l| !l.contains("nowhere"))
        .collect();
    let expected = generate(&valid.join("\n"), false);
    for by in 0..valid.len() {
        let mut turned = valid.clone();
        turned.rotate_left(by);
        let sources: Vec<Source> = turned.iter().map(|text| source(text)).collect();
        assert_eq!(to_yaml(&sources, false).ok(), Some(expected.clone()));
        turned.reverse();
        assert_eq!(generate(&turned.join("\n"), false), expected);
        assert_eq!(
            generate(&[turned.clone(), turned].concat().join("\n"), false),
            expected
        );
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    rules: Vec<Policy>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Policy {
    api_groups: Vec<String>,
    resources: Vec<String>,
    #[serde(default)]
    resource_names: Vec<String>,
    verbs: Vec<String>,
}

#[test]
fn the_role_asked_for_by_markers_is_the_same_role() {
    let role = generate(OPERATOR, false);
    let document: Document = yaml::from_str(&role).expect("a role");
    let quoted = |values: &[String]| format!("{values:?}").replace(['[', ']'], "");
    let marker = |rule: &Policy| {
        let names = match rule.resource_names.as_slice() {
            [] => String::new(),
            names => format!(",resourceNames={{{}}}", quoted(names)),
        };
        format!(
            "// +rop:rbac:groups={{{}}},resources={{{}}}{names},verbs={{{}}}",
            quoted(&rule.api_groups),
            quoted(&rule.resources),
            quoted(&rule.verbs)
        )
    };
    let lines: Vec<String> = document.rules.iter().map(marker).collect();
    let markers = lines.join("\n");
    assert_eq!(generate(&markers, false), role);
}

/// Every resource of a marker is in every group of it.
#[test]
fn rules_have_a_largest_size() {
    let many = |name: &str, end: &str, count: usize| {
        let names: Vec<_> = (0..count).map(|n| format!("{name}{n}{end}")).collect();
        names.join(";")
    };
    let marker = |count: usize| {
        format!(
            "// +kubebuilder:rbac:groups={},resources={},verbs=get;list\n",
            many("g", ".io", count),
            many("r", "", count)
        )
    };
    let (message, hints) = refuse(&[source(&format!("\n{}", marker(3000)))], false);
    assert_eq!(
        message,
        "src/controller/reconcile.rs:2: the rule has 3000 resources with 3000 groups, 0 names and 2 verbs each, which \
         make 9006000: at most 100000 are merged"
    );
    assert!(hints[0].starts_with("use `*`"));
    assert!(to_yaml(&[source(&marker(300))], false).is_ok());
    let (message, _) = refuse(&[source(&marker(300).repeat(2))], false);
    assert_eq!(
        message,
        "src/controller/reconcile.rs:2: the rules up to here have resources with 181200 groups, names and verbs: at \
         most 100000 are merged"
    );
}
