//! The upgrade edges that a bundle names for itself.

use serde_json::Value;

use crate::error::Result;

use super::super::render::Rendered;
use super::Options;
use super::explicit::{check_name, check_range};

/// The annotation with the versions that can be upgraded to a bundle.
const SKIP_RANGE: &str = "olm.skipRange";

/// The options with the edges of the `ClusterServiceVersion` that no flag sets, and what was taken from there.
///
/// # Errors
/// One is no name of a bundle, or no range.
pub(super) fn of_csv(bundle: &Rendered, options: &Options) -> Result<(Options, Option<String>)> {
    let mut options = options.clone();
    let mut taken = Vec::new();
    let (spec, annotations) = (&bundle.csv["spec"], &bundle.csv["metadata"]["annotations"]);
    let text = |value: &Value| {
        let text = value.as_str().filter(|text| !text.is_empty());
        text.map(str::to_owned)
    };
    if options.replaces.is_none()
        && let Some(replaces) = text(&spec["replaces"])
    {
        taken.push(format!("`replaces: {replaces}`"));
        check_name(&replaces).map_err(|error| error.context(in_csv("spec.replaces")))?;
        options.replaces = Some(replaces);
    }
    if options.skips.is_empty() {
        let skips = spec["skips"].as_array().into_iter().flatten();
        options.skips = skips.filter_map(text).collect();
        for skip in &options.skips {
            check_name(skip).map_err(|error| error.context(in_csv("spec.skips")))?;
        }
        if !options.skips.is_empty() {
            taken.push(format!("`skips: [{}]`", options.skips.join(", ")));
        }
    }
    if options.skip_range.is_none()
        && let Some(range) = text(&annotations[SKIP_RANGE])
    {
        taken.push(format!("`{SKIP_RANGE}: {range}`"));
        check_range(&range).map_err(|error| error.context(in_csv(SKIP_RANGE)))?;
        options.skip_range = Some(range);
    }
    Ok((options, (!taken.is_empty()).then(|| taken.join(", "))))
}

fn in_csv(field: &str) -> String {
    format!("cannot use `{field}` of the ClusterServiceVersion")
}

/// Says what comes from the `ClusterServiceVersion`.
pub(super) fn note(taken: String) -> String {
    format!(
        "the entry takes {taken} from the ClusterServiceVersion; `--replaces`, `--skips` and `--skip-range` set others"
    )
}

/// Says what does not come from the `ClusterServiceVersion`.
pub(super) fn unused(taken: String) -> String {
    format!(
        "`--semver` links bundles by version, so {taken} of the ClusterServiceVersion has no effect"
    )
}
