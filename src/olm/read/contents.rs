use std::collections::BTreeMap;

use crate::error::{Code, Context, Error, Result};

use super::bundle::{Bundle, METADATA};
use super::source::{MOST_BYTES, Source};
use crate::olm::kinds::BUNDLE_PREFIX;

/// The folder of scorecard's configuration, by custom.
const TESTS: &str = "tests";

/// The most files and folders of a bundle.
const MOST_FILES: usize = 4096;

/// The files of a bundle's image, by their paths, and the annotations that become its labels.
#[derive(Debug)]
pub struct Contents {
    /// What each file holds.
    pub files: BTreeMap<String, Vec<u8>>,
    /// The texts among the annotations.
    pub annotations: BTreeMap<String, String>,
}

impl Contents {
    /// Reads the folders of a bundle that go into its image: manifests, metadata and tests.
    ///
    /// # Errors
    /// A file cannot be read, or the bundle is too large.
    pub fn read(source: &dyn Source) -> Result<Self> {
        let bundle = Bundle::read(source);
        let root = source.list("").unreadable("the bundle")?;
        let has_tests = root.iter().any(|it| it.is_folder && it.name == TESTS);
        let tests = has_tests.then_some(TESTS);
        let folders = [&*bundle.folder, METADATA].into_iter().chain(tests);
        let files = files(source, folders)?;
        let annotations = bundle.annotations.iter().flat_map(|annotations| {
            let annotations = annotations.root().get("annotations");
            let texts = annotations.fields().map(|(key, value)| {
                let text = value.text().to_owned();
                (key.to_owned(), text)
            });
            texts.collect::<Vec<_>>()
        });
        Ok(Self {
            annotations: annotations.collect(),
            files,
        })
    }

    /// The package of the bundle; empty if its annotations name none.
    pub fn package(&self) -> &str {
        let package = self.annotations.get(&format!("{BUNDLE_PREFIX}package.v1"));
        package.map_or("", String::as_str)
    }
}

/// The files below folders of a bundle, by their paths.
///
/// # Errors
/// A file cannot be read, or there are too many or too large ones.
fn files<'a>(
    source: &dyn Source,
    folders: impl IntoIterator<Item = &'a str>,
) -> Result<BTreeMap<String, Vec<u8>>> {
    let mut reader = Reader {
        source,
        entries: 0,
        bytes: 0,
        files: BTreeMap::new(),
    };
    for folder in folders {
        reader.folder(folder)?;
    }
    Ok(reader.files)
}

struct Reader<'a> {
    source: &'a dyn Source,
    entries: usize,
    bytes: usize,
    files: BTreeMap<String, Vec<u8>>,
}

impl Reader<'_> {
    /// Reads all files below a folder.
    fn folder(&mut self, folder: &str) -> Result<()> {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in self.source.list(&folder).unreadable(&folder)? {
                let path = format!("{folder}/{}", entry.name);
                self.entries += 1;
                if self.entries > MOST_FILES {
                    return Err(too_large(&format!("{MOST_FILES} files")));
                }
                if entry.is_folder {
                    folders.push(path);
                    continue;
                }
                let data = self.source.read(&path).unreadable(&path)?;
                self.bytes += data.len();
                if self.bytes > MOST_BYTES {
                    return Err(too_large(&format!("{} MiB", MOST_BYTES >> 20)));
                }
                self.files.insert(path, data);
            }
        }
        Ok(())
    }
}

fn too_large(most: &str) -> Error {
    Error::new(
        Code::InvalidBundle,
        format!("the bundle has more than {most}"),
    )
    .hint("remove what does not belong to it")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_is_limited() {
        let bundle = |folders: usize, text: &str| {
            let paths = (0..folders).flat_map(|folder| {
                let file = move |file| format!("tests/{folder}/{file}");
                (0..8).map(file)
            });
            let mut files: BTreeMap<_, _> = paths.map(|path| (path, text.to_owned())).collect();
            for path in ["manifests/a.yaml", "metadata/a.yaml"] {
                files.insert(path.to_owned(), "a: b".to_owned());
            }
            Contents::read(&files)
        };
        assert_eq!(bundle(9, "a").expect("a bundle").files.len(), 74);
        for large in [bundle(500, "a"), bundle(9, &"a".repeat(1 << 20))] {
            let error = large.expect_err("too large");
            assert_eq!(error.code(), Code::InvalidBundle);
        }
    }
}
