use std::path::Path;

use clap::Args;
use serde_json::json;

use crate::cli::args::bundle_directory::BundleDirectory;
use crate::cli::args::olm::label;
use crate::cli::invocation::Invocation;
use crate::error::{Code, Context, Error, Result};
use crate::objects::Objects;
use crate::olm::bundle::MANIFESTS;
use crate::olm::read::{Directory, Source};
use crate::olm::render::{Place, render};

const EXAMPLES: &str = "\
Examples:
  rop bundle render --namespace app-operator-system
  rop bundle render bundle --namespace apps --watch-namespace apps
  rop bundle render | kubectl apply --server-side -f -";

/// Print the manifests that OLM v1 would apply for a bundle.
///
/// Prints service accounts, roles and bindings, CRDs, Deployments, and webhooks with cert-manager Certificates. No cluster
/// is contacted.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct RenderArgs {
    #[command(flatten)]
    bundle: BundleDirectory,

    /// Operator namespace [default: the one that the bundle suggests].
    #[arg(long, short, value_parser = label)]
    namespace: Option<String>,

    /// Namespace that the operator watches [default: all].
    #[arg(long, value_name = "NAMESPACE", value_parser = label)]
    watch_namespace: Option<String>,
}

pub(super) fn run(args: &RenderArgs, invocation: &Invocation) -> Result<()> {
    let manifests = manifests(&args.bundle.directory()?)?;
    let namespace = match &args.namespace {
        Some(namespace) => namespace.clone(),
        None => suggested(&manifests)?,
    };
    let place = Place {
        namespace,
        watched: args.watch_namespace.clone(),
    };
    let objects = render(&manifests, &place)?;
    if invocation.json {
        let items: Vec<_> = objects.iter().collect();
        return invocation.ui.json(&json!({
            "command": "bundle render", "apiVersion": "v1", "kind": "List", "items": items,
        }));
    }
    invocation.ui.data(&objects.to_yaml()?)
}

/// All objects in the files of the bundle.
fn manifests(directory: &Path) -> Result<Objects> {
    let source = Directory::new(directory);
    let shown = |path: &str| format!("{}/{path}", directory.display());
    let entries = source
        .list(MANIFESTS)
        .unreadable(shown(MANIFESTS))
        .map_err(|error| {
            error.hint("pass the directory of a bundle; `rop bundle` generates one")
        })?;
    let mut objects = Vec::new();
    for entry in entries.iter().filter(|entry| !entry.is_folder) {
        let path = format!("{MANIFESTS}/{}", entry.name);
        let bytes = source.read(&path).unreadable(shown(&path))?;
        let text = String::from_utf8_lossy(&bytes);
        let found = Objects::parse(&text)
            .map_err(|error| error.context(format!("failed to read `{}`", shown(&path))))?;
        objects.extend(found.iter().cloned());
    }
    Ok(objects.into_iter().collect())
}

/// The namespace that the bundle suggests.
fn suggested(manifests: &Objects) -> Result<String> {
    let mut suggested = manifests.iter().filter_map(|object| {
        object["metadata"]["annotations"]["operatorframework.io/suggested-namespace"].as_str()
    });
    suggested.next().map(str::to_owned).ok_or_else(|| {
        Error::new(Code::InvalidName, "the bundle suggests no namespace")
            .hint("choose one with `--namespace`")
    })
}
