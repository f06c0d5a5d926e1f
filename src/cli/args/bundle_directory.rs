//! The directory of a bundle.

use std::path::PathBuf;

use clap::Args;

use crate::cli::invocation::working_directory;
use crate::error::{Code, Result};
use crate::olm::bundle::FOLDER;
use crate::project;

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
        if let Some(directory) = &self.directory {
            return Ok(directory.clone());
        }
        let here = working_directory()?;
        match project::find(&here) {
            Ok(found) if found.path == here => Ok(FOLDER.into()),
            Ok(found) => Ok(found.path.join(FOLDER)),
            Err(error) if error.code() == Code::NoProject => {
                let is_bundle = here.join(FOLDER).is_dir();
                Ok(if is_bundle { FOLDER } else { "." }.into())
            }
            Err(error) => Err(error),
        }
    }
}
