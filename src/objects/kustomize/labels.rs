//! `labels:` of a kustomization.

use std::collections::BTreeMap;

use serde_json::Value;

use super::budget::Budget;
use super::field::Field;
use super::kustomization::Labels;
use super::resource::Resource;

const fn field(
    path: &'static str,
    group: &'static str,
    kind: &'static str,
    create: bool,
) -> Field<'static> {
    Field {
        path,
        group,
        kind,
        create,
    }
}

const OBJECT: Field<'_> = field("metadata/labels", "", "", true);
const TEMPLATE: Field<'_> = field("spec/template/metadata/labels", "", "Deployment", true);

/// What selects pods.
const SELECTORS: [Field<'_>; 11] = [
    field("spec/selector", "", "Service", true),
    field("spec/selector/matchLabels", "", "Deployment", true),
    field(
        "spec/template/spec/affinity/podAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
        "apps",
        "Deployment",
        false,
    ),
    field(
        "spec/template/spec/affinity/podAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
        "apps",
        "Deployment",
        false,
    ),
    field(
        "spec/template/spec/affinity/podAntiAffinity/preferredDuringSchedulingIgnoredDuringExecution/podAffinityTerm/labelSelector/matchLabels",
        "apps",
        "Deployment",
        false,
    ),
    field(
        "spec/template/spec/affinity/podAntiAffinity/requiredDuringSchedulingIgnoredDuringExecution/labelSelector/matchLabels",
        "apps",
        "Deployment",
        false,
    ),
    field(
        "spec/template/spec/topologySpreadConstraints/labelSelector/matchLabels",
        "apps",
        "Deployment",
        false,
    ),
    field(
        "spec/selector/matchLabels",
        "policy",
        "PodDisruptionBudget",
        false,
    ),
    field(
        "spec/podSelector/matchLabels",
        "networking.k8s.io",
        "NetworkPolicy",
        false,
    ),
    field(
        "spec/ingress/from/podSelector/matchLabels",
        "networking.k8s.io",
        "NetworkPolicy",
        false,
    ),
    field(
        "spec/egress/to/podSelector/matchLabels",
        "networking.k8s.io",
        "NetworkPolicy",
        false,
    ),
];

/// Adds labels to objects, and to what selects them if that is asked for.
pub(super) fn add(resources: &mut [Resource], labels: &Labels, budget: &Budget) -> Option<()> {
    let mut fields = vec![OBJECT];
    if labels.include_selectors || labels.include_templates {
        fields.push(TEMPLATE);
    }
    if labels.include_selectors {
        fields.extend(SELECTORS);
    }
    add_pairs(resources, &fields, &labels.pairs, budget)
}

/// `commonLabels:`, the former name of labels that also select.
pub(super) fn add_common(
    resources: &mut [Resource],
    pairs: &BTreeMap<String, String>,
    budget: &Budget,
) -> Option<()> {
    let labels = Labels {
        pairs: pairs.clone(),
        include_selectors: true,
        include_templates: false,
    };
    add(resources, &labels, budget)
}

/// Adds pairs at these fields.
pub(super) fn add_pairs(
    resources: &mut [Resource],
    fields: &[Field<'_>],
    pairs: &BTreeMap<String, String>,
    budget: &Budget,
) -> Option<()> {
    if pairs.is_empty() {
        return Some(());
    }
    let length: usize = pairs
        .iter()
        .map(|(key, value)| key.len() + value.len())
        .sum();
    for resource in resources {
        let kind = resource.kind().clone();
        for field in fields.iter().filter(|field| field.is_of(&kind)) {
            let mut add = |value: &mut Value| {
                let found = value.as_object_mut()?;
                budget.spend(length)?;
                let pairs = pairs.iter();
                found.extend(pairs.map(|(key, value)| (key.clone(), value.clone().into())));
                Some(())
            };
            field.visit(&mut resource.value, &mut add)?;
        }
    }
    Some(())
}
