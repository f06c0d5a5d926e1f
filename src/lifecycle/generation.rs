//! Which OLM a cluster has.

use clap::ValueEnum;

use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;

/// The group and version of the kinds of each.
const V0: &str = "operators.coreos.com/v1alpha1";
const V1: &str = "olm.operatorframework.io/v1";

const INSTALL: &str = "install the manifests of a release of OLM with `rop olm install FILE`";

/// A generation of OLM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Generation {
    /// Subscriptions and `ClusterServiceVersion`s.
    V0,
    /// `ClusterExtension`s.
    V1,
}

impl Generation {
    /// Those that the API server has the kinds of.
    ///
    /// # Errors
    /// The API server does not answer.
    pub(crate) fn served(kubectl: &Kubectl) -> Result<Vec<Self>> {
        let versions = kubectl.api_versions()?;
        let served = [(Self::V0, V0), (Self::V1, V1)]
            .into_iter()
            .filter(|(_, version)| versions.contains(*version));
        Ok(served.map(|(generation, _)| generation).collect())
    }

    /// The one to work with.
    ///
    /// # Errors
    /// The cluster has none, not the selected one, or both and none is selected.
    pub(crate) fn choose(kubectl: &Kubectl, selected: Option<Self>) -> Result<Self> {
        let served = Self::served(kubectl)?;
        match (selected, &served[..]) {
            (Some(selected), served) if served.contains(&selected) => Ok(selected),
            (None, [only]) => Ok(*only),
            (None, [_, _, ..]) => Err(Error::new(
                Code::AmbiguousOlm,
                "the cluster has OLM v0 and OLM v1",
            )
            .hint("select one with `--olm v0` or `--olm v1`")),
            (None, []) => Err(Self::missing()),
            (Some(selected), _) => {
                let name = selected.name();
                let version = if selected == Self::V0 { V0 } else { V1 };
                let message =
                    format!("{name} is not installed: the API server does not serve {version}");
                Err(Error::new(Code::OlmMissing, message).hint(INSTALL))
            }
        }
    }

    /// The error that a cluster has neither.
    pub(crate) fn missing() -> Error {
        let message = format!("OLM is not installed: the API server serves neither {V0} nor {V1}");
        Error::new(Code::OlmMissing, message).hint(INSTALL)
    }

    /// Its name in flags.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            Self::V0 => "v0",
            Self::V1 => "v1",
        }
    }

    /// Its name for people.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::V0 => "OLM v0",
            Self::V1 => "OLM v1",
        }
    }
}
