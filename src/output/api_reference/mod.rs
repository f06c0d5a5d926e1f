//! The API reference: a page in Markdown on the project's kinds, from their CRDs.

mod anchor;
mod difference;
mod markdown;
mod page;
mod rules;
mod section;

use serde_json::Value;

use crate::disk::View;
use crate::error::{Code, Context, Result};
use crate::plan::{File, Tree, without_header};
use crate::yaml;

use super::{Manifests, Output};

use page::Page;

/// The API reference in Markdown, generated from the CRDs.
#[derive(Debug)]
pub struct ApiReference;

impl ApiReference {
    /// The default path: only the output there is kept up to date.
    pub const PATH: &str = "docs/api.md";

    /// The page, at a path.
    ///
    /// # Errors
    /// A CRD cannot be read.
    pub fn file(path: &str, manifests: &Manifests<'_>) -> Result<File> {
        let mut page = Page::new(&manifests.project.project_name);
        for kind in manifests.project.own_kinds() {
            let crd_file = kind.crd();
            let Some(text) = manifests.text(&crd_file)? else {
                continue;
            };
            let crd: Value = yaml::from_str(&text)
                .context(Code::MalformedFile, || format!("`{crd_file}` is not YAML"))?;
            page.add(kind, &crd);
        }
        Ok(File::owned(path, page.finish()))
    }
}

impl Output for ApiReference {
    fn name(&self) -> &'static str {
        Self::PATH
    }

    fn command(&self) -> &'static str {
        "generate docs"
    }

    /// A page that rop did not write is none.
    fn is_in(&self, view: &View) -> bool {
        let text = view.read(Self::PATH).ok().flatten();
        text.is_some_and(|text| without_header(&text) != text)
    }

    fn tree(&self, manifests: &Manifests<'_>) -> Result<Tree> {
        let mut tree = Tree::default();
        tree.insert(Self::file(Self::PATH, manifests)?);
        Ok(tree)
    }
}
