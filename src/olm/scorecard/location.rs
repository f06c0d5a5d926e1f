use std::path::{Path, PathBuf};

use crate::disk;
use crate::error::{Code, Context, Error, Result};
use crate::olm::read::{Bundle, Directory, Source, is_inside};

/// Annotations of a bundle with tests.
const MEDIA_TYPE_KEY: &str = "operators.operatorframework.io.test.mediatype.v1";
const MEDIA_TYPE: &str = "scorecard+v1";
const CONFIG_KEY: &str = "operators.operatorframework.io.test.config.v1";

/// The folder of the configuration, unless an annotation names another one.
const FOLDER: &str = "tests/scorecard";
const FILE: &str = "config.yaml";

/// The text of a configuration.
#[derive(Clone, Debug)]
pub(crate) struct Location {
    /// The path of the file, as seen from where the command runs.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Location {
    /// Reads a file that was named.
    ///
    /// # Errors
    /// It cannot be read.
    pub(crate) fn named(path: &Path) -> Result<Self> {
        let text = disk::read_text(path)
            .unreadable(path.display())
            .map_err(|error| error.hint("name a file, such as `tests/scorecard/config.yaml`"))?;
        let path = path.to_owned();
        Ok(Self { path, text })
    }

    /// Reads the file in a bundle.
    ///
    /// # Errors
    /// The annotation names a folder elsewhere, or the file cannot be read.
    pub(crate) fn in_bundle(directory: &Path, bundle: &Bundle) -> Result<Self> {
        let folder = folder(directory, bundle)?;
        let file = format!("{folder}/{FILE}");
        let path = directory.join(&file);
        let hint = "`rop bundle` generates one, or name another file with `--config`";
        let bytes = Directory::new(directory)
            .read(&file)
            .unreadable(path.display())
            .map_err(|error| {
                error
                    .context("the bundle has no readable configuration of the scorecard")
                    .hint(hint)
            })?;
        let text = String::from_utf8(bytes).map_err(|_| {
            let message = format!("`{}` is not UTF-8 text", path.display());
            Error::new(Code::UnreadableFile, message).hint("save the file as UTF-8")
        })?;
        Ok(Self { path, text })
    }
}

fn folder(directory: &Path, bundle: &Bundle) -> Result<String> {
    let Some(annotations) = &bundle.annotations else {
        return Ok(FOLDER.to_owned());
    };
    let annotations = annotations.root().get("annotations");
    if annotations.get(MEDIA_TYPE_KEY).text() != MEDIA_TYPE {
        return Ok(FOLDER.to_owned());
    }
    let named = annotations.get(CONFIG_KEY);
    if named.is_missing() {
        return Ok(FOLDER.to_owned());
    }
    let folder = named.text().trim_matches('/');
    let folder = folder.strip_prefix("./").unwrap_or(folder);
    if is_inside(folder) {
        return Ok(folder.to_owned());
    }
    let file = directory.join(named.file);
    let message = format!(
        "{}:{}: `{CONFIG_KEY}` is not a folder of the bundle: `{}`",
        file.display(),
        named.line,
        named.text()
    );
    Err(Error::new(Code::MalformedFile, message).hint(format!("write for example `{FOLDER}/`")))
}
