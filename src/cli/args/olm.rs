//! OLM in a cluster, and a namespace in it.

use clap::Args;

use crate::dns::label_1123;
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::lifecycle::{Generation, Place};

use super::target::Reached;

/// Flags of commands on operators that OLM runs.
#[derive(Debug, Args)]
pub(in crate::cli) struct OlmArgs {
    /// OLM version [default: detected].
    #[arg(long, value_enum)]
    olm: Option<Generation>,

    /// Operator namespace [default: the context's namespace].
    #[arg(long, short, value_parser = label)]
    namespace: Option<String>,
}

impl OlmArgs {
    pub(in crate::cli) fn generation(&self, kubectl: &Kubectl) -> Result<Generation> {
        Generation::choose(kubectl, self.olm)
    }

    /// The place of a package in the namespace, which must exist.
    pub(in crate::cli) fn place(&self, package: &str, reached: &Reached) -> Result<Place> {
        if let Err(rule) = label_1123(package) {
            return Err(Error::new(
                Code::InvalidName,
                format!("invalid package `{package}`: {rule}"),
            ));
        }
        let of_context = reached.connection.namespace.clone();
        let namespace = self.namespace.clone().or(of_context);
        let place = Place {
            package: package.to_owned(),
            namespace: namespace.unwrap_or_else(|| "default".to_owned()),
        };
        place.check(&reached.kubectl)?;
        Ok(place)
    }
}

/// A name that no flag of kubectl is.
pub(in crate::cli) fn label(text: &str) -> Result<String, String> {
    label_1123(text)?;
    Ok(text.to_owned())
}
