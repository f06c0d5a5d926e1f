use std::cmp::Ordering;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{NameError, name};

/// The version of an API: `v1`, `v1beta1`, `v2alpha3`.
///
/// The pattern `v\d+((alpha|beta)\d+)?` is the one that Kubernetes sorts versions by; kubebuilder
/// takes any DNS name and so gives projects whose versions sort at random.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version(String);
name!(Version);

impl Version {
    /// Stability (0 alpha, 1 beta, 2 stable), major and minor: the order of kube-aware version sorting.
    fn rank(&self) -> (u8, u64, u64) {
        parts(&self.0).unwrap_or_default()
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl FromStr for Version {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        if parts(value).is_some() {
            return Ok(Self(value.to_owned()));
        }
        Err(NameError::new(
            "version",
            value,
            "is not a version such as `v1`, `v1beta1` or `v2alpha3`",
        )
        .suggest::<Self>(&meant(value)))
    }
}

fn parts(value: &str) -> Option<(u8, u64, u64)> {
    let rest = value.strip_prefix('v')?;
    for (stability, word) in [(0, "alpha"), (1, "beta")] {
        if let Some((major, minor)) = rest.split_once(word) {
            return Some((stability, number(major)?, number(minor)?));
        }
    }
    Some((2, number(rest)?, 0))
}

/// A number as it stands in a version: no sign, no leading zero, four digits at most.
fn number(digits: &str) -> Option<u64> {
    let plain = (1..=4).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && !digits.starts_with('0');
    plain.then(|| digits.parse().ok()).flatten()
}

fn meant(value: &str) -> String {
    let lower = value.to_lowercase();
    let bare = lower.trim_start_matches('v').replace(['-', '_'], "");
    let stem = bare.split('.').next().unwrap_or_default();
    let stem = if stem.starts_with(|c: char| c.is_ascii_digit()) {
        stem.to_owned()
    } else {
        format!("1{stem}")
    };
    match stem.ends_with("alpha") || stem.ends_with("beta") {
        true => format!("v{stem}1"),
        false => format!("v{stem}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_what_kubernetes_can_sort() {
        for good in ["v1", "v10", "v1alpha1", "v2beta10"] {
            assert!(good.parse::<Version>().is_ok(), "{good}");
        }
    }

    #[test]
    fn says_what_was_probably_meant() {
        for (given, meant) in [
            ("1", "v1"),
            ("V1", "v1"),
            ("v1alpha", "v1alpha1"),
            ("alpha1", "v1alpha1"),
            ("v1.0", "v1"),
            ("v1-beta1", "v1beta1"),
        ] {
            let error = given.parse::<Version>().expect_err(given);
            assert_eq!(
                error.hint.as_deref(),
                Some(&*format!("did you mean `{meant}`?")),
                "{given}"
            );
        }
        for bad in ["", "v", "v0", "v01", "v1gamma1", "latest"] {
            assert!(bad.parse::<Version>().is_err(), "{bad}");
        }
    }

    #[test]
    fn stable_comes_after_beta_after_alpha() {
        let mut versions: Vec<Version> = ["v1", "v2alpha1", "v1beta2", "v1beta1", "v2"]
            .map(|v| v.parse().expect(v))
            .into();
        versions.sort();
        let sorted: Vec<_> = versions.iter().map(Version::as_str).collect();
        assert_eq!(sorted, ["v2alpha1", "v1beta1", "v1beta2", "v1", "v2"]);
    }
}
