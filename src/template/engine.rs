//! The one wrapper of Tera.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Serialize;
use tera::{Context, Delimiters, Tera};

use crate::error::{Code, Context as _, Result};

use super::embedded;
use super::path::TemplatePath;

/// `{= x =}` leaves Helm's, GitHub's and Rust's braces alone.
const DELIMITERS: Delimiters = Delimiters {
    variable_start: Cow::Borrowed("{="),
    variable_end: Cow::Borrowed("=}"),
    block_start: Cow::Borrowed("{%"),
    block_end: Cow::Borrowed("%}"),
    comment_start: Cow::Borrowed("{#"),
    comment_end: Cow::Borrowed("#}"),
};

/// One embedded template.
pub(super) struct Template {
    /// What its path declares.
    pub(super) path: TemplatePath<'static>,
    name: &'static str,
    text: &'static str,
}

impl Template {
    /// The text, as it stands in `templates/`.
    #[cfg(test)]
    pub(super) fn text(&self) -> &'static str {
        self.text
    }
}

/// Every embedded template, in no order.
pub(super) fn templates() -> impl Iterator<Item = Template> {
    embedded::templates().map(|(name, text)| Template {
        path: TemplatePath::parse(name).expect("tests parse every template path"),
        name,
        text,
    })
}

/// Renders the templates. There is one, made when it is first needed.
pub(super) struct Engine {
    tera: Tera,
    templates: Vec<Template>,
}

impl Engine {
    /// The engine of all templates.
    pub(super) fn get() -> &'static Self {
        static ENGINE: LazyLock<Engine> = LazyLock::new(|| Engine::new(templates().collect()));
        &ENGINE
    }

    /// An engine of one set alone: reading all templates takes several times as long as to render a few.
    pub(super) fn of(set: &str) -> Self {
        let of_set = templates().filter(|template| template.path.set == set);
        Self::new(of_set.collect())
    }

    /// An engine of templates of a former release.
    pub(super) fn of_former(templates: Vec<(String, &'static str)>) -> Self {
        let templates = templates.into_iter().map(|(name, text)| {
            let name: &'static str = name.leak();
            Template {
                path: TemplatePath::parse(name).expect("tests parse every template path"),
                name,
                text,
            }
        });
        Self::new(templates.collect())
    }

    fn new(templates: Vec<Template>) -> Self {
        let mut tera = Tera::new();
        tera.set_delimiters(DELIMITERS)
            .expect("no two delimiters are equal");
        tera.register_filter("yaml", super::filter::yaml);
        let rendered = templates.iter().filter(|t| t.path.rendered);
        tera.add_raw_templates(rendered.map(|t| (t.name, t.text)))
            .expect("tests parse every template");
        Self { tera, templates }
    }

    pub(super) fn templates(&self, set: &str) -> impl Iterator<Item = &Template> {
        self.templates.iter().filter(move |t| t.path.set == set)
    }

    /// The text of `template` for `data`.
    pub(super) fn render(&self, template: &Template, data: &Context) -> Result<String> {
        if !template.path.rendered {
            return Ok(template.text.to_owned());
        }
        let failed = || format!("failed to render `{}`", template.name);
        self.tera
            .render(template.name, data)
            .context(Code::GenerationFailed, failed)
    }
}

/// Data as templates take it: made once for all templates of a set.
pub(super) fn context(data: &impl Serialize) -> Result<Context> {
    Context::from_serialize(data).context(
        Code::GenerationFailed,
        || "failed to read what templates need",
    )
}
