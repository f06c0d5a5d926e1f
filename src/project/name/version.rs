use std::cmp::Ordering;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::ranked::{is_plain, parts};
use super::{NameError, name, rule, rust};

/// The version of an API: `v1`, `v1beta1`, `v2alpha3`.
///
/// Kubernetes takes any DNS-1035 label, and other operators have versions such as `stable` and `v1api20230101`. The
/// pattern `v\d+((alpha|beta)\d+)?` is the one that it sorts versions by, before those of any other form: the
/// versions of a project's own kinds have it, as [`Version::check_own`] says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Version(String);
name!(Version);

impl Version {
    /// Stability (0 alpha, 1 beta, 2 stable), major and minor: the order of kube-aware version sorting.
    fn rank(&self) -> Option<(u8, u64, u64)> {
        parts(&self.0, |digits| {
            let is_number = digits.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| digits.parse().ok()).flatten()
        })
    }

    /// The Rust module of the version: `v1`, `v1_rc`.
    pub fn module(&self) -> String {
        if is_plain(&self.0) {
            self.0.clone()
        } else {
            rust::module(&self.0.replace('-', "_"))
        }
    }

    /// Checks that a kind of a project's own can have the version.
    ///
    /// # Errors
    /// Kubernetes could not sort it.
    pub fn check_own(&self) -> Result<(), NameError> {
        if is_plain(&self.0) {
            Ok(())
        } else {
            Err(error(&self.0))
        }
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        // Of those of another form the first one of the alphabet has the highest priority.
        let reverse = || other.0.cmp(&self.0);
        self.rank().cmp(&other.rank()).then_with(reverse)
    }
}

impl FromStr for Version {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        match rule::label_1035(value) {
            Ok(()) => Ok(Self(value.to_owned())),
            Err(_) => Err(error(value)),
        }
    }
}

fn error(value: &str) -> NameError {
    let rule = "expected `v1`, `v1beta1`, `v2alpha3` or similar";
    let meant = meant(value);
    let error = NameError::new("version", value, rule);
    if is_plain(&meant) {
        error.suggest::<Version>(&meant)
    } else {
        error
    }
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
    if stem.ends_with("alpha") || stem.ends_with("beta") {
        format!("v{stem}1")
    } else {
        format!("v{stem}")
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
            let version = given.parse::<Version>();
            let error = version
                .and_then(|version| version.check_own())
                .expect_err(given);
            assert_eq!(
                error.hint.as_deref(),
                Some(&*format!("did you mean `{meant}`?")),
                "{given}"
            );
        }
        for bad in ["", "v", "v0", "v01", "v1gamma1", "latest"] {
            let version = bad.parse::<Version>();
            assert!(
                version.and_then(|version| version.check_own()).is_err(),
                "{bad}"
            );
        }
        for bad in ["", "V1", "1", "v1.0", "v1-", "v_1"] {
            assert!(bad.parse::<Version>().is_err(), "{bad}");
        }
    }

    /// The order that the documentation of Kubernetes shows, and numbers of any length.
    #[test]
    fn versions_are_in_the_order_of_kubernetes() {
        let order = [
            "v20230101",
            "v10",
            "v2",
            "v1",
            "v11beta2",
            "v10beta3",
            "v3beta1",
            "v12alpha1",
            "v11alpha2",
            "foo1",
            "foo10",
            "v1api20230101",
        ];
        let mut versions: Vec<Version> = order.map(|v| v.parse().expect(v)).into();
        versions.sort();
        versions.reverse();
        let sorted: Vec<_> = versions.iter().map(Version::as_str).collect();
        assert_eq!(sorted, order);
    }

    #[test]
    fn every_version_has_a_module() {
        for (version, module) in [
            ("v1", "v1"),
            ("v1api20230101", "v1api20230101"),
            ("v1-rc", "v1_rc"),
            ("stable", "stable"),
            ("self", "self_"),
        ] {
            let version: Version = version.parse().expect(version);
            assert_eq!(version.module(), module);
        }
    }
}
