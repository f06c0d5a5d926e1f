//! Structs and enums of one version as those of the other one.

use std::collections::BTreeSet;

use crate::error::Result;

use super::definition::{Definition, Field, Fields, Shape, Style, Variant};
use super::expression::{Expression, FieldValue};
use super::krate::written;
use super::source::{Leaf, Source};
use super::ty::Ty;
use super::way::Way;

/// What a field gets that the other version cannot give.
const DEFAULT: &str = "Default::default()";

/// What a value of a type is made of.
#[derive(Debug)]
pub(super) enum Body {
    Value(Expression),
    /// What each variant becomes.
    Match(Vec<Arm>),
}

/// What a variant becomes.
#[derive(Debug)]
pub(super) struct Arm {
    pub(super) cfg: Vec<String>,
    /// The variant, and the fields that are used.
    pub(super) variant: String,
    pub(super) pattern: Pattern,
    pub(super) value: Expression,
}

/// The fields of a variant that are used.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    Unit,
    Numbered(Vec<String>),
    /// Their names, and whether there are others.
    Named(Vec<String>, bool),
    /// Whatever it holds: between these brackets.
    Any(&'static str),
}

impl Way<'_> {
    /// How a type becomes the one of the other version.
    pub(super) fn body(&self, from: &Definition, to: &Definition) -> Result<Body> {
        Ok(match (&from.shape, &to.shape) {
            (Shape::Struct(fields), Shape::Struct(others)) => {
                Body::Value(self.struct_(to, fields, others)?)
            }
            (Shape::Enum(variants), Shape::Enum(others)) => {
                let arms = variants.iter().map(|variant| self.arm(to, variant, others));
                Body::Match(arms.collect::<Result<_>>()?)
            }
            (Shape::Root(spec, status), Shape::Root(to_spec, to_status)) => {
                Body::Value(self.root((spec, status.as_ref()), (to_spec, to_status.as_ref()))?)
            }
            _ => Body::Value(Expression::Missing("write this conversion".to_owned())),
        })
    }

    fn root(&self, from: (&Ty, Option<&Ty>), to: (&Ty, Option<&Ty>)) -> Result<Expression> {
        let value = |name: &str| Expression::Plain(format!("value.{name}"));
        let field = |name: &str, value| FieldValue {
            cfg: Vec::new(),
            name: name.to_owned(),
            value,
        };
        let mut fields = vec![field("metadata", value("metadata"))];
        fields.push(field(
            "spec",
            self.value("spec", value("spec"), from.0, to.0)?,
        ));
        if let Some(to) = to.1 {
            let optional = |ty: &Ty| Ty::Outer("Option".to_owned(), vec![ty.clone()]);
            let status = match from.1 {
                Some(from) => {
                    let (from, to) = (optional(from), optional(to));
                    self.value("status", value("status"), &from, &to)?
                }
                None => Expression::Plain("None".to_owned()),
            };
            fields.push(field("status", status));
        }
        Ok(Expression::Struct("Self".to_owned(), fields))
    }

    fn struct_(&self, to: &Definition, from: &Fields, fields: &Fields) -> Result<Expression> {
        let name = to.path.last().map_or("", String::as_str);
        let source = Source::new(from, "value.");
        match fields.style {
            Style::Unit => Ok(Expression::Plain("Self".to_owned())),
            Style::Named => {
                let values = self.fields(name, &source, fields)?;
                Ok(Expression::Struct("Self".to_owned(), values))
            }
            Style::Numbered => {
                let values = self
                    .fields(name, &source, fields)?
                    .into_iter()
                    .map(|field| field.value);
                Ok(Expression::Call("Self".to_owned(), values.collect()))
            }
        }
    }

    /// The fields of a struct or a variant of a name, each with its value.
    fn fields(&self, of: &str, source: &Source<'_>, to: &Fields) -> Result<Vec<FieldValue>> {
        let taken: BTreeSet<_> = to.list.iter().map(|field| field.json.as_str()).collect();
        let values = to.list.iter().map(|field| {
            let same = source.same(field, &taken);
            let place = format!("{of}.{}", field.name);
            let value = match &same[..] {
                [source_field] if source_field.cfg.is_empty() || source_field.cfg == field.cfg => {
                    let value = Expression::Plain(format!(
                        "{}{}",
                        source.prefix,
                        written(&source_field.name)
                    ));
                    self.value(&place, value, &source_field.ty, &field.ty)?
                }
                [] => self.missing_field(&place, source, field)?,
                _ => Expression::Missing(format!(
                    "set `{place}`: its field in {} has different `#[cfg]` conditions",
                    self.from
                )),
            };
            Ok(FieldValue {
                cfg: field.cfg.clone(),
                name: written(&field.name),
                value,
            })
        });
        values.collect()
    }

    /// A flattened field whose own fields are among those of the value.
    fn gathered(&self, source: &Source<'_>, field: &Field) -> Result<Option<Expression>> {
        let definition = self.pairs.definitions.get(&field.ty)?;
        let (Some(definition), Ty::Own(path, _)) = (definition, &field.ty) else {
            return Ok(None);
        };
        let Shape::Struct(fields) = &definition.shape else {
            return Ok(None);
        };
        let is_hidden = |field: &Field| !field.visibility.reaches(&self.pairs.place.module);
        if fields.style != Style::Named || fields.list.iter().any(is_hidden) {
            return Ok(None);
        }
        let Some(name) = self.pairs.place.name(path)? else {
            return Ok(None);
        };
        let last = path.last().map_or("", String::as_str);
        let values = self.fields(last, source, fields)?;
        Ok(Some(Expression::Struct(name, values)))
    }

    /// A value that goes over, or what to write.
    fn value(&self, place: &str, value: Expression, from: &Ty, to: &Ty) -> Result<Expression> {
        let text = value.flat();
        Ok(match self.convert(value, from, to)? {
            Ok(value) => value,
            Err(why) => {
                let why = if why.is_empty() {
                    why
                } else {
                    format!(": {why}")
                };
                Expression::Missing(format!(
                    "set `{place}` (`{to}` in {}) from `{text}` (`{from}` in {}){why}",
                    self.to, self.from
                ))
            }
        })
    }

    /// The value of a field that the other version has not: it is kept aside, if it is set.
    fn missing_field(&self, place: &str, source: &Source<'_>, field: &Field) -> Result<Expression> {
        if field.is_flat
            && let Some(value) = self.gathered(source, field)?
        {
            return Ok(value);
        }
        match self.in_flat(source.fields, source.prefix, &field.json)? {
            Leaf::At(value, ty) if !field.is_flat => {
                return self.value(place, value, &ty, &field.ty);
            }
            Leaf::Unclear(flat) => {
                return Ok(Expression::Missing(format!(
                    "set `{place}` (`{}` in {}): its value may be in `{flat}`, which is flattened \
                    in {}",
                    field.ty, self.to, self.from
                )));
            }
            _ if field.is_flat && !source.fields.list.is_empty() => {
                return Ok(Expression::Missing(format!(
                    "set `{place}` (`{}` in {}), which is flattened: its fields may be among \
                    those of {}",
                    field.ty, self.to, self.from
                )));
            }
            _ => {}
        }
        if let Some(function) = &field.default {
            // What `Default` gives is another value, which nobody asked for.
            return Ok(Expression::Missing(format!(
                "set `{place}`, which {} does not have: its default is `{function}`",
                self.from
            )));
        }
        Ok(if self.pairs.definitions.has_default(&field.ty)? {
            Expression::Plain(DEFAULT.to_owned())
        } else {
            Expression::Missing(format!(
                "set `{place}`, which {} does not have: `{}` has no known `Default`",
                self.from, field.ty
            ))
        })
    }

    fn arm(&self, to: &Definition, variant: &Variant, others: &[Variant]) -> Result<Arm> {
        let of = to.path.last().map_or("", String::as_str);
        let by_json = others.iter().find(|other| other.json == variant.json);
        let same = by_json.or_else(|| {
            // One that is called otherwise in objects.
            others.iter().find(|other| other.name == variant.name)
        });
        let any = Pattern::Any(match variant.fields.style {
            Style::Named => " { .. }",
            Style::Numbered => "(..)",
            Style::Unit => "",
        });
        let name = &variant.name;
        let (pattern, value) = match same {
            Some(target) if !target.cfg.is_empty() && target.cfg != variant.cfg => {
                let message = format!(
                    "convert `{name}`: `{of}::{}` of {} has different `#[cfg]` conditions",
                    target.name, self.to
                );
                (any, Expression::Missing(message))
            }
            Some(target) => self.same_variant(of, variant, target, any)?,
            // One that the other version has not becomes its usual one, and is kept aside.
            None => {
                let missing = || {
                    Expression::Missing(format!(
                        "choose the `{of}` of {} for `{name}` of {}",
                        self.to, self.from
                    ))
                };
                (any, self.usual(others)?.unwrap_or_else(missing))
            }
        };
        Ok(Arm {
            cfg: variant.cfg.clone(),
            variant: written(name),
            pattern,
            value,
        })
    }

    fn same_variant(
        &self,
        of: &str,
        from: &Variant,
        to: &Variant,
        any: Pattern,
    ) -> Result<(Pattern, Expression)> {
        let path = format!("Self::{}", written(&to.name));
        let place = format!("{of}::{}", to.name);
        let counts = (from.fields.list.len(), to.fields.list.len());
        let source = Source::new(&from.fields, "");
        Ok(match (from.fields.style, to.fields.style) {
            (_, Style::Unit) => (any, Expression::Plain(path)),
            (Style::Numbered, Style::Numbered) if counts.0 == counts.1 => {
                let names: Vec<_> = match counts.0 {
                    1 => vec!["value".to_owned()],
                    count => (0..count).map(|index| format!("value_{index}")).collect(),
                };
                let pairs = from.fields.list.iter().zip(&to.fields.list);
                let values = names
                    .iter()
                    .zip(pairs)
                    .map(|(name, (left, right))| {
                        let value = Expression::Plain(name.clone());
                        self.value(&place, value, &left.ty, &right.ty)
                    })
                    .collect::<Result<Vec<_>>>()?;
                match values.iter().find(|value| value.is_missing()) {
                    Some(missing) => (any, missing.clone()),
                    None => (Pattern::Numbered(names), Expression::Call(path, values)),
                }
            }
            (Style::Unit, Style::Numbered) => {
                let values = to
                    .fields
                    .list
                    .iter()
                    .map(|field| self.missing_field(&place, &source, field))
                    .collect::<Result<Vec<_>>>()?;
                match values.iter().find(|value| value.is_missing()) {
                    Some(missing) => (any, missing.clone()),
                    None => (any, Expression::Call(path, values)),
                }
            }
            (Style::Named | Style::Unit, Style::Named) => {
                let values = self.fields(&place, &source, &to.fields)?;
                let is_used = |field: &&Field| {
                    let name = written(&field.name);
                    let texts = values.iter().map(|value| &value.value);
                    texts.into_iter().any(|value| uses(value, &name))
                };
                let used: Vec<_> = from.fields.list.iter().filter(is_used).collect();
                let has_others = used.len() < from.fields.list.len();
                let names = used.iter().map(|field| written(&field.name)).collect();
                let pattern = match from.fields.style {
                    Style::Unit => Pattern::Unit,
                    _ if used.is_empty() => any,
                    _ => Pattern::Named(names, has_others),
                };
                (pattern, Expression::Struct(path, values))
            }
            _ => {
                let message = format!(
                    "convert `{}` of {}: `{place}` of {} has different fields",
                    from.name, self.from, self.to
                );
                (any, Expression::Missing(message))
            }
        })
    }

    /// The default of an enum, or its first variant that needs nothing.
    fn usual(&self, variants: &[Variant]) -> Result<Option<Expression>> {
        let mut sorted: Vec<_> = variants
            .iter()
            .filter(|variant| variant.cfg.is_empty())
            .collect();
        sorted.sort_by_key(|variant| !variant.is_default);
        for variant in sorted {
            let path = format!("Self::{}", written(&variant.name));
            let mut fields = Vec::new();
            for field in &variant.fields.list {
                if self.pairs.definitions.has_default(&field.ty)? && field.cfg.is_empty() {
                    fields.push(FieldValue {
                        cfg: Vec::new(),
                        name: written(&field.name),
                        value: Expression::Plain(DEFAULT.to_owned()),
                    });
                }
            }
            if fields.len() < variant.fields.list.len() {
                continue;
            }
            return Ok(Some(match variant.fields.style {
                Style::Unit => Expression::Plain(path),
                Style::Named => Expression::Struct(path, fields),
                Style::Numbered => {
                    Expression::Call(path, fields.into_iter().map(|field| field.value).collect())
                }
            }));
        }
        Ok(None)
    }
}

/// Whether an expression uses a variable.
fn uses(value: &Expression, name: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '#';
    match value {
        Expression::Plain(text) | Expression::Unboxed(text) => {
            text.split(|c| !is_name(c)).any(|word| word == name)
        }
        Expression::Method(value, _, arguments) => {
            uses(value, name) || arguments.iter().any(|argument| uses(argument, name))
        }
        Expression::Call(_, arguments) | Expression::Tuple(arguments) => {
            arguments.iter().any(|argument| uses(argument, name))
        }
        Expression::Closure(parameter, value) => *parameter != name && uses(value, name),
        Expression::Struct(_, fields) => fields.iter().any(|field| uses(&field.value, name)),
        Expression::Missing(_) => false,
    }
}
