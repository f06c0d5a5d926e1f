//! What the user tells cargo of targets, in its files.

use std::path::Path;

use toml_edit::{DocumentMut, Item};

use crate::disk::read_text;

use super::{home, variable_of};

/// The `.cargo/config.toml` files that hold for a project.
#[derive(Debug, Default)]
pub(crate) struct Settings(Vec<DocumentMut>);

impl Settings {
    /// Reads those that cargo reads. It says itself what is wrong with them.
    pub(crate) fn read(root: &Path) -> Self {
        let mut folders: Vec<_> = root.ancestors().map(|dir| dir.join(".cargo")).collect();
        folders.extend(home());
        let files = folders
            .iter()
            .flat_map(|folder| ["config.toml", "config"].map(|name| folder.join(name)));
        let texts = files.filter_map(|file| read_text(&file).ok());
        Self(texts.filter_map(|text| text.parse().ok()).collect())
    }

    /// Whether the user names the linker of a target.
    pub(crate) fn names_linker(&self, triple: &str) -> bool {
        let variable = variable_of(triple, "LINKER");
        std::env::var_os(variable).is_some() || self.has(triple, "linker")
    }

    /// Whether a target has a key there: this one, or one that is named by a `cfg(…)`.
    pub(crate) fn has(&self, triple: &str, key: &str) -> bool {
        let tables = self.0.iter().filter_map(|file| file.get("target"));
        let mut targets = tables
            .filter_map(Item::as_table_like)
            .flat_map(|table| table.iter());
        targets.any(|(name, settings)| {
            (name == triple || name.starts_with("cfg("))
                && settings
                    .as_table_like()
                    .is_some_and(|table| table.contains_key(key))
        })
    }
}

#[cfg(test)]
impl From<&str> for Settings {
    fn from(text: &str) -> Self {
        Self(vec![text.parse().expect("TOML")])
    }
}
