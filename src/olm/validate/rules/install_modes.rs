//! Into which namespaces an operator can be installed.

use std::collections::BTreeSet;

use crate::olm::read::Node;
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Csv;
use crate::suggest::nearest;

const ALL_NAMESPACES: &str = "AllNamespaces";
const MODES: [&str; 4] = [
    "OwnNamespace",
    "SingleNamespace",
    "MultiNamespace",
    ALL_NAMESPACES,
];

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Csv,
        "install-modes-missing",
        "The CSV has install modes",
        "add `spec.installModes` with the four types, each `supported: true` or `false`",
        |input, found| {
            if let Some(modes) = input.csv_at("spec.installModes")
                && modes.is_empty()
            {
                found.at(&modes, "the CSV has no install modes");
            }
        },
    ),
    Rule::error(
        Csv,
        "install-modes-unsupported",
        "An install mode is supported",
        "set `supported: true` for one",
        |input, found| {
            if let Some(modes) = input.csv_at("spec.installModes")
                && !modes.is_empty()
                && !modes.items().any(|mode| mode.get("supported").is_true())
            {
                found.at(&modes, "no install mode is supported");
            }
        },
    ),
    Rule::error(
        Csv,
        "install-mode-unknown",
        "The types of install modes are those of OLM",
        "use `OwnNamespace`, `SingleNamespace`, `MultiNamespace` or `AllNamespaces`",
        unknown,
    ),
    Rule::error(
        Csv,
        "install-mode-duplicate",
        "Each install mode is listed once",
        "remove one of the two",
        duplicates,
    ),
    Rule::error(
        Csv,
        "conversion-install-mode",
        "A CSV with conversion webhooks supports only AllNamespaces",
        "set `supported: false` for the other install modes",
        conversions,
    ),
    Rule::warning(
        Csv,
        "install-mode-namespaces",
        "An operator that can be installed for some namespaces reads from `olm.targetNamespaces` which",
        "set `WATCH_NAMESPACE` in the Deployment from the annotation `olm.targetNamespaces` (`rop edit --namespaced` \
        adds it), or set `supported: false`",
        namespaces,
    ),
];

/// The annotation in which OLM lists the namespaces, and the variable that operators usually get them in.
const TARGETS: [&str; 2] = ["olm.targetNamespaces", "WATCH_NAMESPACE"];

fn namespaces(input: &Input<'_>, found: &mut Findings<'_>) {
    let reads_them = |deployment: Node<'_>| {
        let text = deployment.value.to_string();
        TARGETS.iter().any(|target| text.contains(target))
    };
    if input.deployments().next().is_none() || input.deployments().any(reads_them) {
        return;
    }
    let mut modes = input.csv_items("spec.installModes");
    let limited = modes.find(|mode| {
        mode.get("supported").is_true() && MODES[..3].contains(&mode.get("type").text())
    });
    if let Some(mode) = limited {
        let kind = mode.get("type");
        let message = format!(
            "no Deployment reads the namespaces that `{}` limits it to",
            kind.text()
        );
        found.at(&kind, message);
    }
}

fn unknown(input: &Input<'_>, found: &mut Findings<'_>) {
    for mode in input.csv_items("spec.installModes") {
        let kind = mode.get("type");
        if MODES.contains(&kind.text()) {
            continue;
        }
        let message = format!("unknown install mode `{}`", kind.text());
        match nearest(kind.text(), MODES) {
            Some(near) => found.at_with(&kind, message, format!("did you mean `{near}`?")),
            None => found.at(&kind, message),
        }
    }
}

fn duplicates(input: &Input<'_>, found: &mut Findings<'_>) {
    let mut seen = BTreeSet::new();
    for mode in input.csv_items("spec.installModes") {
        let kind = mode.get("type");
        if !seen.insert(kind.text()) {
            found.at(&kind, format!("`{}` is listed twice", kind.text()));
        }
    }
}

/// Whether `AllNamespaces` is supported, and no other mode is.
pub(super) fn is_cluster_wide_only(input: &Input<'_>) -> bool {
    let modes = input.csv_items("spec.installModes");
    let supported = modes.filter(|mode| mode.get("supported").is_true());
    let types: Vec<_> = supported.map(|mode| mode.get("type").text()).collect();
    !types.is_empty() && types.iter().all(|kind| *kind == ALL_NAMESPACES)
}

/// Whether `AllNamespaces` is supported.
pub(super) fn is_cluster_wide(input: &Input<'_>) -> bool {
    let mut modes = input.csv_items("spec.installModes");
    modes.any(|it| it.get("supported").is_true() && it.get("type").text() == ALL_NAMESPACES)
}

fn conversions(input: &Input<'_>, found: &mut Findings<'_>) {
    if is_cluster_wide_only(input) {
        return;
    }
    for webhook in input.webhooks() {
        let crds = webhook.get("conversionCRDs");
        if !crds.is_empty() {
            found.at(
                &crds,
                "a conversion webhook needs AllNamespaces as the only install mode",
            );
        }
    }
}
