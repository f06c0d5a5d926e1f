//! What OLM v1 supports.

use std::collections::{BTreeMap, BTreeSet};

use crate::dns;
use crate::olm::read::{Document, Node};
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::OlmV1;

use super::install_modes::is_cluster_wide;

const CONVERSION: &str = "ConversionWebhook";

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        OlmV1,
        "v1-deployment-name",
        "Deployments have different names, which are DNS names",
        "rename the Deployment",
        deployments,
    ),
    Rule::error(
        OlmV1,
        "v1-conversion-owned",
        "The CSV owns the CRDs of conversion webhooks",
        "add the CRD to `spec.customresourcedefinitions.owned`",
        owned,
    ),
    Rule::error(
        OlmV1,
        "v1-conversion-once",
        "A CRD has one conversion webhook",
        "remove the CRD from one of the webhooks",
        once,
    ),
    Rule::error(
        OlmV1,
        "v1-webhook-deployment",
        "The Deployment of a webhook is in the CSV",
        "set `deploymentName` to the name of a Deployment of the CSV",
        webhook_deployments,
    ),
    Rule::error(
        OlmV1,
        "v1-webhook-name",
        "Webhooks of one type have different names, which are DNS names",
        "rename the webhook",
        webhook_names,
    ),
    Rule::error(
        OlmV1,
        "v1-webhook-rules",
        "Webhooks are not for all groups, OLM or admission webhooks",
        "name the groups and resources of the operator",
        webhook_rules,
    ),
    Rule::error(
        OlmV1,
        "v1-install-mode",
        "AllNamespaces is supported: OLM v1 has no other install mode by default",
        "set `supported: true` for `AllNamespaces`",
        |input, found| {
            if let Some(modes) = input.csv_at("spec.installModes")
                && !is_cluster_wide(input)
            {
                found.at(&modes, "AllNamespaces is not supported");
            }
        },
    ),
    Rule::error(
        OlmV1,
        "v1-dependencies",
        "The bundle has no dependencies, which OLM v1 does not resolve",
        "tell users to install the other operator first",
        dependencies,
    ),
    Rule::error(
        OlmV1,
        "v1-api-services",
        "The CSV owns no API services",
        "use a CRD",
        |input, found| {
            for service in input.csv_items("spec.apiservicedefinitions.owned") {
                found.at(&service, "OLM v1 does not install API services");
            }
        },
    ),
];

fn deployments(input: &Input<'_>, found: &mut Findings<'_>) {
    let mut names = BTreeSet::new();
    for deployment in input.deployments() {
        let name = deployment.get("name");
        if let Err(rule) = dns::subdomain_1123(name.text()) {
            found.at(&name, format!("the name `{}`: {rule}", name.text()));
        } else if !names.insert(name.text()) {
            found.at(
                &name,
                format!("another Deployment is named `{}`", name.text()),
            );
        }
    }
}

/// The CRDs of conversion webhooks.
fn converted<'a>(input: &Input<'a>) -> impl Iterator<Item = Node<'a>> + use<'a> {
    let webhooks = input.webhooks();
    let conversions = webhooks.filter(|it| it.get("type").text() == CONVERSION);
    conversions.flat_map(|webhook| webhook.get("conversionCRDs").items())
}

fn owned(input: &Input<'_>, found: &mut Findings<'_>) {
    let owned: Vec<_> = input.owned().map(|it| it.get("name").text()).collect();
    for crd in converted(input) {
        if !owned.contains(&crd.text()) {
            found.at(&crd, format!("the CSV does not own `{}`", crd.text()));
        }
    }
}

fn once(input: &Input<'_>, found: &mut Findings<'_>) {
    let mut names = BTreeSet::new();
    for crd in converted(input) {
        if !names.insert(crd.text()) {
            let message = format!("`{}` has another conversion webhook", crd.text());
            found.at(&crd, message);
        }
    }
}

fn webhook_deployments(input: &Input<'_>, found: &mut Findings<'_>) {
    let names: Vec<_> = input
        .deployments()
        .map(|it| it.get("name").text())
        .collect();
    for webhook in input.webhooks() {
        let deployment = webhook.get("deploymentName");
        if !names.contains(&deployment.text()) {
            let message = format!("the CSV has no Deployment `{}`", deployment.text());
            found.at(&deployment, message);
        }
    }
}

fn webhook_names(input: &Input<'_>, found: &mut Findings<'_>) {
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for webhook in input.webhooks() {
        let name = webhook.get("generateName");
        if let Err(rule) = dns::subdomain_1123(name.text()) {
            found.at(&name, format!("the name `{}`: {rule}", name.text()));
            continue;
        }
        let of_type = names.entry(webhook.get("type").text()).or_default();
        if !of_type.insert(name.text()) {
            found.at(&name, format!("another webhook is named `{}`", name.text()));
        }
    }
}

fn webhook_rules(input: &Input<'_>, found: &mut Findings<'_>) {
    for rule in input.webhooks().flat_map(|it| it.get("rules").items()) {
        for group in rule.get("apiGroups").items() {
            let of_admission = group.text() == "admissionregistration.k8s.io";
            let resources = [
                "*",
                "mutatingwebhookconfigurations",
                "validatingwebhookconfigurations",
            ];
            let mut named = rule.get("resources").texts();
            let is_admission = of_admission && named.any(|it| resources.contains(&it));
            if ["*", "olm.operatorframework.io"].contains(&group.text()) || is_admission {
                let message = format!("a webhook cannot be for the group `{}`", group.text());
                found.at(&group, message);
            }
        }
    }
}

fn dependencies(input: &Input<'_>, found: &mut Findings<'_>) {
    let document = input.bundle.dependencies.as_ref().map(Document::root);
    let list = document.map(|root| root.get("dependencies"));
    for dependency in list.into_iter().flat_map(|list| list.items()) {
        let kind = dependency.get("type");
        let message = format!("OLM v1 does not resolve `{}`", kind.text());
        found.at(&kind, message);
    }
    for required in input.csv_items("spec.customresourcedefinitions.required") {
        let name = required.get("name").text();
        let message = format!("OLM v1 does not resolve the required CRD `{name}`");
        found.at(&required, message);
    }
}
