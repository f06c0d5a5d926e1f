use std::path::{Path, PathBuf};

use clap::Args;

use crate::disk;
use crate::dns::label_1123;
use crate::error::{Context, Result};
use crate::olm::catalog::{Catalog, NewPackage, create};
use crate::olm::check_channel;
use crate::plan::LineEnds;

use super::FOLDER;
use super::trees::trees;
use crate::cli::args::place::{Place, named_or_of_project};
use crate::cli::invocation::{Access, Invocation, Transition};
use crate::shell_word::shell_word;

const EXAMPLES: &str = "\
Examples:
  rop catalog init app-operator
  rop catalog init app-operator --default-channel stable --icon icon.svg --description README.md";

/// Create a file-based catalog with a package.
///
/// Writes `<PACKAGE>/catalog.yaml` in the catalog. A package without a default channel gets one with its first bundle.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(in crate::cli) struct InitArgs {
    /// Name of the package, usually that of the operator.
    #[arg(value_parser = package_name)]
    package: String,

    /// Channel that users get if they name none.
    #[arg(long, value_name = "CHANNEL")]
    default_channel: Option<String>,

    /// File with the description, in Markdown.
    #[arg(long, value_name = "FILE")]
    description: Option<PathBuf>,

    /// File with the icon: SVG, PNG, JPEG or GIF.
    #[arg(long, value_name = "FILE")]
    icon: Option<PathBuf>,

    /// Directory of the catalog [default: catalog].
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
}

pub(super) fn run(args: InitArgs, invocation: &Invocation) -> Result<()> {
    if let Some(channel) = &args.default_channel {
        check_channel(channel, "--default-channel stable")?;
    }
    let package = NewPackage {
        name: args.package,
        default_channel: args.default_channel,
        description: match &args.description {
            Some(path) => Some(disk::read_text(path).unreadable(path.display())?),
            None => None,
        },
        icon: match &args.icon {
            Some(path) => Some(disk::read(path).unreadable(path.display())?),
            None => None,
        },
    };
    let folder = named_or_of_project(args.output.as_deref(), FOLDER)?;
    let place = Place::find(&folder)?;
    let entered = invocation.enter(&place.root, Access::Write)?;
    let catalog = if place.root.join(&place.folder).is_dir() {
        Catalog::read(&entered.view, &place.folder)?
    } else {
        Catalog::default()
    };
    let text = create(&catalog, &package)?;
    let path = format!("{}/{}/catalog.yaml", place.folder, package.name);
    let files = text.map(|text| {
        let old = catalog.text_of(&path).map(LineEnds::read);
        let new = match &old {
            Some(old) if !old.is_empty() && !old.ends_with('\n') => format!("{old}\n{text}"),
            Some(old) => format!("{old}{text}"),
            None => text,
        };
        (path, old, new)
    });
    let (before, after) = trees(files.into_iter().collect());
    let plan = invocation.carry_out(&Transition {
        command: "catalog init",
        view: &entered.view,
        before,
        after,
        force: false,
    })?;
    invocation.next(
        &plan,
        &[format!(
            "rop catalog add BUNDLE_DIR --image REGISTRY/BUNDLE:TAG{}",
            catalog_flag(args.output.as_deref())
        )],
    );
    Ok(())
}

/// The flag that names a catalog, if one was named.
fn catalog_flag(folder: Option<&Path>) -> String {
    folder.map_or_else(String::new, |folder| {
        format!(" --catalog {}", shown(folder))
    })
}

/// A folder as a command has it.
pub(super) fn shown(folder: &Path) -> String {
    shell_word(&folder.to_string_lossy())
}

fn package_name(value: &str) -> Result<String, String> {
    label_1123(value)?;
    Ok(value.to_owned())
}
