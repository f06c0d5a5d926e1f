//! The project's CRDs, and the cluster that they go into or out of.

use clap::Args;

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::Objects;
use crate::project::layout::CRD;

use super::target::{Reached, TargetArgs, TimeoutArgs, project_here};
use crate::cli::invocation::Invocation;

/// What commands on CRDs take.
#[derive(Debug, Args)]
pub(in crate::cli) struct CrdsArgs {
    /// None: scripts give it to every command.
    #[arg(long, short, hide = true)]
    namespace: Option<String>,

    #[command(flatten)]
    pub(in crate::cli) timeout: TimeoutArgs,

    #[command(flatten)]
    pub(in crate::cli) target: TargetArgs,
}

impl CrdsArgs {
    /// The cluster that is meant, where `what` is to be done, and the project's CRDs with what else
    /// `config/crd` has.
    pub(in crate::cli) fn reach(
        &self,
        what: &str,
        invocation: &Invocation,
    ) -> Result<(Reached, Objects)> {
        if self.namespace.is_some() {
            invocation
                .ui
                .note("--namespace has no effect: CRDs are cluster-scoped");
        }
        let root = project_here(invocation)?;
        let kubectl = Kubectl::find(&self.target.target())?.within(self.timeout.timeout);
        if !root.path.join(CRD).is_dir() {
            return Err(Error::new(
                Code::NoCrds,
                "the project has no CRDs: `config/crd` does not exist",
            )
            .hint("create an API: `rop create api --group app --kind AppService`"));
        }
        let crds = Objects::render(&View::of(&root.path)?, CRD, |_| Ok(&kubectl))?;
        Ok((self.target.reach(kubectl, what, invocation)?, crds))
    }
}
