//! OpenShift's community catalog: bundles that use APIs which Kubernetes 1.22, and so OpenShift 4.9, removed.

use semver::Version;
use serde_json::Value;

use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Community;
use crate::olm::validate::version::tolerant;

use super::kinds::removed;

const MAXIMUM: &str = "olm.maxOpenShiftVersion";
const LABEL: &str = "com.redhat.openshift.versions";

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Community,
        "openshift-maximum",
        "A bundle with APIs that Kubernetes 1.22 removed is limited to OpenShift before 4.9",
        "use the current APIs, or add `olm.maxOpenShiftVersion` below 4.9 to the annotation `olm.properties`",
        maximum,
    ),
    Rule::warning(
        Community,
        "openshift-maximum-patch",
        "`olm.maxOpenShiftVersion` has no patch version",
        "write for example `4.8`",
        |input, found| {
            let Some(Ok(version)) = limit(input).filter(|_| uses_removed(input)) else {
                return;
            };
            if version != Version::new(version.major, version.minor, 0) {
                let message =
                    format!("`{MAXIMUM}` {version} has more than major and minor version");
                properties(input, message, found);
            }
        },
    ),
    Rule::error(
        Community,
        "openshift-label",
        "The index image of a bundle with such APIs has a label that limits OpenShift to versions before 4.9",
        "write for example `LABEL com.redhat.openshift.versions='4.6-4.8'`",
        label,
    ),
    Rule::warning(
        Community,
        "index-path",
        "The Dockerfile of the index image is named, so that its label can be checked",
        "name it with `--optional-values index-path=FILE`",
        |input, found| {
            if uses_removed(input) && input.options.index.is_none() {
                found.file("", "the label of the index image was not checked");
            }
        },
    ),
];

/// Whether the bundle uses an API that Kubernetes 1.22 removed.
fn uses_removed(input: &Input<'_>) -> bool {
    removed(input).iter().any(|removed| removed.minor == 22)
}

fn properties(input: &Input<'_>, message: impl Into<String>, found: &mut Findings<'_>) {
    if let Some(annotations) = input.csv_annotations() {
        found.at(&annotations.get("olm.properties"), message);
    }
}

/// The newest OpenShift that the CSV allows: an error says why there is none.
fn limit(input: &Input<'_>) -> Option<Result<Version, String>> {
    let annotation = input.csv_annotations()?.get("olm.properties");
    if annotation.is_empty() {
        return None;
    }
    let list = serde_json::from_str::<Value>(annotation.text()).ok();
    let Some(Value::Array(list)) = list else {
        return Some(Err("`olm.properties` is not a list in JSON".to_owned()));
    };
    let property = list.iter().find(|it| it["type"] == MAXIMUM)?;
    let value = match &property["value"] {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    };
    let version = tolerant(&value);
    Some(version.ok_or_else(|| format!("`{MAXIMUM}` is `{value}`, which is not a version")))
}

fn maximum(input: &Input<'_>, found: &mut Findings<'_>) {
    if !uses_removed(input) {
        return;
    }
    match limit(input) {
        None => properties(input, format!("`{MAXIMUM}` is not set"), found),
        Some(Err(message)) => properties(input, message, found),
        Some(Ok(version)) if version >= Version::new(4, 9, 0) => {
            properties(
                input,
                format!("`{MAXIMUM}` {version} is not below 4.9"),
                found,
            );
        }
        Some(Ok(_)) => {}
    }
}

fn label(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(index) = input.options.index.as_ref().filter(|_| uses_removed(input)) else {
        return;
    };
    let line = index.text.lines().find(|line| line.contains(LABEL));
    let Some(line) = line else {
        let message = format!("`{}` has no label `{LABEL}`", index.path);
        return found.file("", message);
    };
    let value = line.split_once(LABEL).map_or("", |(_, value)| value);
    // `=v4.6` is that version alone, `v4.6` that and all newer ones.
    let value = value.trim_start_matches(['"', '\'', ' ']);
    let value = value
        .strip_prefix('=')
        .unwrap_or(value)
        .trim()
        .replace(['"', '\'', 'v'], "");
    let newest = match (value.strip_prefix('='), value.split_once('-')) {
        (Some(only), _) => tolerant(only),
        (None, Some((_, newest))) => tolerant(newest),
        (None, None) => None,
    };
    let message = match newest {
        None => format!(
            "the label `{LABEL}` of `{}` has no newest version: `{value}`",
            index.path
        ),
        Some(newest) if newest >= Version::new(4, 9, 0) => {
            format!("the label `{LABEL}` of `{}` allows {newest}", index.path)
        }
        Some(_) => return,
    };
    found.file("", message);
}
