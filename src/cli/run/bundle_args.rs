//! What commands on a bundle in a cluster take.

use std::path::PathBuf;

use clap::Args;

use super::prepared::Prepared;
use crate::cli::args::bundle_source::{BundleSource, pull};
use crate::cli::args::olm::OlmArgs;
use crate::cli::args::target::{TargetArgs, TimeoutArgs};
use crate::cli::invocation::Invocation;
use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::lifecycle::{Bundle, Content, Generation};
use crate::olm::catalog;
use crate::project::name::Image;

/// The image that serves a catalog: opm, as operator-sdk uses it.
const REGISTRY: &str = "quay.io/operator-framework/opm:v1.59.0";

#[derive(Debug, Args)]
pub(super) struct CommonArgs {
    /// Image of the bundle, or its directory.
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,

    /// Image of a catalog that has the bundle; required for OLM v1.
    #[arg(long, value_name = "IMAGE")]
    catalog_image: Option<Image>,

    /// Image with opm.
    #[arg(long, value_name = "IMAGE", alias = "index-image", default_value = REGISTRY)]
    registry_image: Image,

    /// Service account for OLM v1 [default: new, cluster-admin].
    #[arg(long, value_name = "NAME")]
    service_account: Option<String>,

    /// Allow registries without TLS; not needed for localhost.
    #[arg(long, alias = "use-http")]
    insecure: bool,

    #[command(flatten)]
    olm: OlmArgs,

    #[command(flatten)]
    timeout: TimeoutArgs,

    #[command(flatten)]
    target: TargetArgs,
}

impl CommonArgs {
    /// Reads the bundle, and finds the cluster, its OLM and the namespace.
    pub(super) fn prepare<'a>(
        &self,
        command: &'static str,
        what: &str,
        invocation: &'a Invocation,
    ) -> Result<Prepared<'a>> {
        let bundle = self.bundle(invocation)?;
        let kubectl = Kubectl::find(&self.target.target())?.within(self.timeout.timeout);
        let what = format!("{what} {}", bundle.name);
        let reached = self.target.reach(kubectl, &what, invocation)?;
        let generation = self.olm.generation(&reached.kubectl)?;
        let place = self.olm.place(&bundle.package, &reached)?;
        let content = match (&self.catalog_image, generation) {
            (Some(image), _) => Content::Image(image.clone()),
            (None, Generation::V0) => Content::Pod(self.registry_image.clone()),
            (None, Generation::V1) => {
                return Err(Error::new(
                    Code::CatalogImageNeeded,
                    "OLM v1 installs from images of catalogs only",
                )
                .hint("add the bundle with `rop catalog add`, push the catalog with `rop catalog build`, and name \
                    its image with `--catalog-image`"));
            }
        };
        Ok(Prepared {
            command,
            invocation,
            reached,
            generation,
            bundle,
            place,
            content,
            service_account: self.service_account.clone(),
            timeout: self.timeout.timeout,
        })
    }

    fn bundle(&self, invocation: &Invocation) -> Result<Bundle> {
        let rendered = match BundleSource::parse(&self.bundle)? {
            BundleSource::Directory(directory) if directory.is_dir() => {
                catalog::render(&directory, None)?
            }
            BundleSource::Directory(directory) => {
                let name = directory.display();
                let message = format!("no bundle directory `{name}`");
                return Err(Error::new(Code::UnreadableFile, message).hint(format!(
                    "to run an image, include its registry or tag: `rop run bundle registry.example.com/{name}:v1`"
                )));
            }
            BundleSource::Image(image) => {
                let unpacked = pull(&image, self.insecure, self.timeout.timeout, &invocation.ui)?;
                catalog::render(unpacked.path(), Some(&image))?
            }
        };
        Ok(Bundle {
            name: rendered.name,
            package: rendered.package,
            version: rendered.version.to_string(),
            blob: rendered.blob,
            csv: rendered.csv,
        })
    }
}
