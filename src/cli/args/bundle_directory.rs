//! The directory of a bundle.

use std::path::PathBuf;

use clap::Args;

use super::place::{named_or_of_project, project_around};
use crate::cli::invocation::working_directory;
use crate::error::Result;
use crate::olm::bundle::FOLDER;

#[derive(Clone, Debug, Default, Args)]
pub(in crate::cli) struct BundleDirectory {
    /// Directory of the bundle [default: bundle].
    #[arg(value_name = "DIR")]
    directory: Option<PathBuf>,
}

impl BundleDirectory {
    /// The directory. Where none is named: that of the project, `bundle` outside of one, or else the current one.
    ///
    /// # Errors
    /// The project cannot be read.
    pub(in crate::cli) fn directory(&self) -> Result<PathBuf> {
        let directory = named_or_of_project(self.directory.as_deref(), FOLDER)?;
        let is_elsewhere = self.directory.is_none()
            && !directory.is_dir()
            && project_around(&working_directory()?)?.is_none();
        Ok(if is_elsewhere { ".".into() } else { directory })
    }
}
