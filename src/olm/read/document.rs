use serde_json::Value;

use crate::yaml::{self, Located, Place};

use super::node::Node;
use super::trouble::{Trouble, TroubleKind};

/// The line at which a second document starts, if `---` does so.
fn line_of_second(text: &str) -> Option<usize> {
    let lines = text.lines().zip(1..);
    let is_content = |line: &str| !(line.is_empty() || line.starts_with(['#', '%', '-']));
    let mut rest = lines.skip_while(|(line, _)| !is_content(line));
    let start = rest.find(|(line, _)| line.starts_with("---"));
    start.map(|(_, line)| line)
}

/// The first document of a file.
#[derive(Debug)]
pub(crate) struct Document {
    path: String,
    value: Value,
    place: Place,
}

impl Document {
    /// Reads the first document of a text: OLM v0 ignores the others, and so are they told.
    pub(crate) fn read(path: &str, text: &str, troubles: &mut Vec<Trouble>) -> Option<Self> {
        let text = text.trim_start_matches('\u{feff}');
        let mut documents = yaml::located(text).into_iter();
        let Some(first) = documents.next() else {
            let empty = Trouble::new(TroubleKind::Empty, path, "the file has no content");
            troubles.push(empty);
            return None;
        };
        let duplicates = match &first {
            Ok(located) => &*located.duplicates,
            Err(malformed) => malformed.duplicates(),
        };
        for duplicate in duplicates {
            let message = format!("`{}` is set twice in the same object", duplicate.field);
            let trouble = Trouble::new(TroubleKind::DuplicateKey, path, message);
            troubles.push(trouble.line(duplicate.line).field(&duplicate.field));
        }
        let Located { value, place, .. } = match first {
            Ok(located) => located,
            Err(malformed) => {
                let line = malformed.line();
                // A key that an object has twice is reported already.
                if malformed.duplicates().iter().all(|it| it.line != line) {
                    let why = format!("the file is not valid YAML: {}", malformed.why());
                    let trouble = Trouble::new(TroubleKind::Malformed, path, why);
                    troubles.push(trouble.line(line));
                }
                return None;
            }
        };
        let more = documents.count();
        if more > 0 {
            let message = format!(
                "the file has {} documents: OLM v0 reads only the first",
                more + 1
            );
            let mut trouble = Trouble::new(TroubleKind::SeveralDocuments, path, message);
            trouble.line = line_of_second(text);
            troubles.push(trouble);
        }
        Some(Self {
            path: path.to_owned(),
            value,
            place,
        })
    }

    /// The whole document.
    pub(crate) fn root(&self) -> Node<'_> {
        Node::new(&self.path, &self.value, &self.place)
    }

    pub(crate) fn kind(&self) -> &str {
        self.value["kind"].as_str().unwrap_or_default()
    }

    pub(crate) fn api_version(&self) -> &str {
        self.value["apiVersion"].as_str().unwrap_or_default()
    }

    /// Whether it says which kind it has, as an object of Kubernetes does.
    pub(crate) fn is_object(&self) -> bool {
        !self.kind().is_empty()
    }

    /// Whether its API version is a version, or a group and a version.
    pub(crate) fn has_api_version(&self) -> bool {
        self.api_version().matches('/').count() < 2
    }

    /// Whether it is the manifest of a package, as before bundles.
    pub(crate) fn is_package(&self) -> bool {
        !self.is_object() && self.value.get("channels").is_some()
    }
}
