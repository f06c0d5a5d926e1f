//! What serde calls fields and variants.

use syn::meta::ParseNestedMeta;
use syn::{Attribute, LitStr};

use super::attribute::skip_argument;

/// What serde is told about a type, a variant or a field.
#[derive(Clone, Debug, Default)]
pub(super) struct Serde {
    rename: Option<String>,
    rename_all: Option<String>,
    rename_all_fields: Option<String>,
    /// Whether the fields of a field are among those around it.
    pub(super) is_flat: bool,
    /// The function named by `#[serde(default = "…")]`, which returns the value of a missing field.
    pub(super) default: Option<String>,
}

impl Serde {
    /// Reads the attributes.
    pub(super) fn of(attributes: &[Attribute]) -> Self {
        let mut serde = Self::default();
        for attribute in attributes
            .iter()
            .filter(|attribute| attribute.path().is_ident("serde"))
        {
            // What it cannot read is not for it.
            let _ = attribute.parse_nested_meta(|meta| {
                let name = meta.path.get_ident().map(ToString::to_string);
                match name.as_deref() {
                    Some("rename") => serde.rename = serialized(&meta)?.or(serde.rename.take()),
                    Some("rename_all") => serde.rename_all = serialized(&meta)?,
                    Some("rename_all_fields") => serde.rename_all_fields = serialized(&meta)?,
                    Some("flatten") => serde.is_flat = true,
                    Some("default") if meta.input.peek(syn::Token![=]) => {
                        serde.default = Some(meta.value()?.parse::<LitStr>()?.value());
                    }
                    _ => skip_argument(&meta)?,
                }
                Ok(())
            });
        }
        serde
    }

    /// The name of a field in what this is of. `own` is what serde is told about the field.
    pub(super) fn field(&self, own: &Self, name: &str) -> String {
        let renamed = own.rename.clone();
        renamed.unwrap_or_else(|| field(self.rename_all.as_deref(), name))
    }

    /// The name of a variant of the enum that this is of.
    pub(super) fn variant(&self, own: &Self, name: &str) -> String {
        let renamed = own.rename.clone();
        renamed.unwrap_or_else(|| variant(self.rename_all.as_deref(), name))
    }

    /// What holds for the fields of a variant of the enum that this is of.
    pub(super) fn in_variant(&self, own: &Self) -> Self {
        let rename_all = own.rename_all.clone().or(self.rename_all_fields.clone());
        Self {
            rename_all,
            ..Self::default()
        }
    }
}

/// What something is called when it is written: `= "…"` or `(serialize = "…")`.
fn serialized(meta: &ParseNestedMeta<'_>) -> syn::Result<Option<String>> {
    if meta.input.peek(syn::Token![=]) {
        return Ok(Some(meta.value()?.parse::<LitStr>()?.value()));
    }
    let mut name = None;
    meta.parse_nested_meta(|inner| {
        let value = inner.value()?.parse::<LitStr>()?.value();
        if inner.path.is_ident("serialize") {
            name = Some(value);
        }
        Ok(())
    })?;
    Ok(name)
}

/// The name of a field by a rule.
fn field(rule: Option<&str>, name: &str) -> String {
    let pascal = || {
        let words = name.split('_').map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect::<String>()
        });
        words.collect::<String>()
    };
    match rule {
        Some("UPPERCASE" | "SCREAMING_SNAKE_CASE") => name.to_ascii_uppercase(),
        Some("PascalCase") => pascal(),
        Some("camelCase") => with_small_first(&pascal()),
        Some("kebab-case") => name.replace('_', "-"),
        Some("SCREAMING-KEBAB-CASE") => name.to_ascii_uppercase().replace('_', "-"),
        _ => name.to_owned(),
    }
}

/// The name of a variant by a rule.
fn variant(rule: Option<&str>, name: &str) -> String {
    let snake = || {
        let mut snake = String::new();
        for (index, c) in name.char_indices() {
            if index > 0 && c.is_uppercase() {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
        }
        snake
    };
    match rule {
        Some("lowercase") => name.to_ascii_lowercase(),
        Some("UPPERCASE") => name.to_ascii_uppercase(),
        Some("camelCase") => with_small_first(name),
        Some("snake_case") => snake(),
        Some("SCREAMING_SNAKE_CASE") => snake().to_ascii_uppercase(),
        Some("kebab-case") => snake().replace('_', "-"),
        Some("SCREAMING-KEBAB-CASE") => snake().to_ascii_uppercase().replace('_', "-"),
        _ => name.to_owned(),
    }
}

fn with_small_first(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
