use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::disk;
use crate::error::{Code, Context as _, Error, Result};
use crate::olm::read::Directory;
use crate::olm::validate::{Index, Level, Options, Selector, VALIDATORS, validate};
use crate::suggest::nearest;

use crate::cli::args::bundle_directory::BundleDirectory;
use crate::cli::args::bundle_source::{BundleSource, pull};
use crate::cli::args::registry::RegistryArgs;
use crate::cli::invocation::Invocation;
use crate::cli::report::{findings, sarif};

const EXAMPLES: &str = "\
Examples:
  rop bundle validate bundle
  rop bundle validate bundle --select-optional suite=operatorframework
  rop bundle validate bundle --select-optional suite --optional-values k8s-version=1.31
  rop bundle validate registry.example.com/app-operator-bundle:v0.1.0
  rop bundle validate bundle --strict -o sarif >bundle.sarif";

/// Names a JSON file with other categories.
const CATEGORIES: &str = "OPERATOR_BUNDLE_CATEGORIES";

/// What `--optional-values` can set.
const VALUES: [&str; 3] = ["k8s-version", "index-path", "container-tools"];

/// Check a bundle directory or image against the rules of OLM.
///
/// The directory has `manifests/` and `metadata/`, and can come from any tool. Each finding has a rule, a file, a line,
/// a field and a hint; the exit code is 1 if one is an error. `--select-optional` adds the rules of catalogs, under the
/// names that operator-sdk has for them. Only an image of a bundle uses the network: `multiarch` does not inspect the
/// images of the operator.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct ValidateArgs {
    /// Directory of the bundle, or its image [default: bundle].
    #[arg(value_name = "BUNDLE")]
    bundle: Option<PathBuf>,

    /// Optional validators, by label such as `suite=operatorframework`.
    #[arg(long, value_name = "SELECTOR")]
    select_optional: Option<String>,

    /// List the optional validators and exit.
    #[arg(long)]
    list_optional: bool,

    /// Settings of optional validators, such as `k8s-version=1.31`.
    #[arg(long, value_name = "KEY=VALUE", value_delimiter = ',')]
    optional_values: Vec<String>,

    /// For scripts of operator-sdk.
    #[arg(short = 'b', long, hide = true)]
    image_builder: Option<String>,

    #[command(flatten)]
    registry: RegistryArgs,

    /// Fail on warnings, too.
    #[arg(long)]
    strict: bool,

    /// Output format.
    #[arg(short, long, value_enum, default_value = "text")]
    output: Format,
}

/// How the findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// The JSON of operator-sdk, with the rule, the place and the hint of each finding.
    JsonAlpha1,
    /// SARIF 2.1.0, for code hosts.
    Sarif,
}

pub(super) fn run(args: &ValidateArgs, invocation: &Invocation) -> Result<()> {
    if invocation.json && args.output != Format::Text {
        return Err(Error::new(
            Code::ConflictingFlags,
            "`--json` cannot be used with `--output`",
        )
        .hint("leave out one of them"));
    }
    if args.list_optional {
        return list(invocation);
    }
    if args.image_builder.is_some() {
        let ui = &invocation.ui;
        ui.note("--image-builder has no effect: rop needs no container engine");
    }
    let mut options = options(args, invocation)?;
    let source = match &args.bundle {
        Some(named) => BundleSource::parse(named)?,
        None => BundleSource::Directory(BundleDirectory::default().directory()?),
    };
    let (directory, report) = match source {
        BundleSource::Directory(directory) => {
            let report = validate(&Directory::new(&directory), &options);
            (directory, report)
        }
        BundleSource::Image(image) => {
            let mut unpacked = pull(
                &image,
                args.registry.insecure,
                args.registry.patience(),
                &invocation.ui,
            )?;
            options.labels = Some(std::mem::take(&mut unpacked.labels));
            let report = validate(&Directory::new(unpacked.path()), &options);
            // Files are named as if the image was a directory.
            (image.as_str().into(), report)
        }
    };
    let directory = &*directory;
    let passed = report.passes(args.strict);
    let shown = directory.display().to_string();
    match args.output {
        _ if invocation.json => {
            let json = findings::json(&report, directory, &options, args.strict);
            invocation.ui.json(&json)?;
        }
        Format::JsonAlpha1 => {
            let json = findings::json_of_operator_sdk(&report, directory, passed);
            invocation.ui.wide_json(&json)?;
        }
        Format::Sarif => invocation.ui.json(&sarif::sarif(&report, directory))?,
        Format::Text => invocation
            .ui
            .issues(&findings::issues(&report, directory))?,
    }
    for note in &report.notes {
        invocation.ui.note(note);
    }
    let counts = findings::counts(&report);
    if passed {
        let text = format!("`{shown}` passes: {counts}, {} rules checked", report.rules);
        invocation.ui.done("done", &text);
        return Ok(());
    }
    let why = match report.count(Level::Error) {
        0 => ", and `--strict` allows no warnings",
        _ => "",
    };
    let error = Error::new(Code::InvalidBundle, format!("`{shown}` has {counts}{why}"));
    Err(error.hint("fix the findings above and run the command again"))
}

/// Prints the optional validators.
fn list(invocation: &Invocation) -> Result<()> {
    if invocation.json {
        return invocation.ui.json(&findings::validators());
    }
    let row = |name: &str, labels: &str, description: &str| {
        format!("{name:<22} {labels:<51} {description}")
            .trim_end()
            .to_owned()
            + "\n"
    };
    let mut table = row("NAME", "LABELS", "DESCRIPTION");
    for validator in &VALIDATORS {
        let suite = validator.suite.map(|suite| format!(",suite={suite}"));
        let labels = format!("name={}{}", validator.name, suite.unwrap_or_default());
        table += &row(validator.name, &labels, validator.description);
    }
    invocation.ui.data(&table)
}

/// What is checked, by the flags and the environment.
fn options(args: &ValidateArgs, invocation: &Invocation) -> Result<Options> {
    let mut options = Options::default();
    if let Some(text) = &args.select_optional {
        let selector = Selector::parse(text).map_err(|why| {
            Error::new(Code::Usage, format!("invalid selector `{text}`: {why}"))
                .hint("write for example `suite=operatorframework`")
        })?;
        options.validators = selector.select().map(|validator| validator.name).collect();
        if options.validators.is_empty() {
            let message = format!("no optional validator matches `{text}`");
            let hint = "`rop bundle validate --list-optional` lists them";
            return Err(Error::new(Code::Usage, message).hint(hint));
        }
    }
    for pair in &args.optional_values {
        let Some((key, value)) = pair.split_once('=') else {
            let message = format!("`{pair}` is not KEY=VALUE");
            let hint = "write for example `--optional-values k8s-version=1.31`";
            return Err(Error::new(Code::Usage, message).hint(hint));
        };
        match key {
            "k8s-version" => options.k8s_version = Some(value.to_owned()),
            "index-path" => options.index = Some(index(value)?),
            "container-tools" => invocation
                .ui
                .note("`container-tools` has no effect: rop inspects no images"),
            _ => {
                let message = format!("unknown key `{key}` in `--optional-values`");
                let hint = match nearest(key, VALUES) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("use one of {}", VALUES.join(", ")),
                };
                return Err(Error::new(Code::Usage, message).hint(hint));
            }
        }
    }
    if let Some(path) = std::env::var_os(CATEGORIES).filter(|path| !path.is_empty()) {
        options.categories = Some(categories(Path::new(&path))?);
    }
    Ok(options)
}

fn index(path: &str) -> Result<Index> {
    let text = disk::read_text(Path::new(path)).unreadable(path)?;
    let path = path.to_owned();
    Ok(Index { path, text })
}

/// The categories of a file.
fn categories(path: &Path) -> Result<Vec<String>> {
    #[derive(serde::Deserialize)]
    struct Categories {
        categories: Vec<String>,
    }
    let shown = path.display();
    let text = disk::read_text(path).unreadable(shown)?;
    let read: Categories = serde_json::from_str(&text).context(Code::MalformedFile, || {
        format!(
            "failed to read `{}`, which {CATEGORIES} names",
            path.display()
        )
    })?;
    Ok(read.categories)
}
