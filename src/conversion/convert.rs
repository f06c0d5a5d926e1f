//! The implementations of `From` for the types of two versions.

use syn::{Fields, Type};

use super::types::{Declared, Shape, Types, applied};

/// The widest line that rustfmt leaves alone.
const WIDTH: usize = 100;

/// The widest fields of a struct that rustfmt leaves on one line.
const STRUCT_WIDTH: usize = 18;

/// The widest chain of calls that rustfmt leaves on one line.
const CHAIN_WIDTH: usize = 60;

/// A version: its name, which is that of its module too, and its types.
type Side<'a> = (&'a str, &'a Types);

/// The types that both versions have in one shape, which are converted.
pub(super) fn names(older: &Types, newer: &Types) -> Vec<String> {
    let is_there = |name: &&str| {
        let both = older.get(name).zip(newer.get(name));
        both.is_some_and(|(one, other)| is_convertible(one, other))
    };
    newer.names().filter(is_there).map(str::to_owned).collect()
}

fn is_convertible(one: &Declared, other: &Declared) -> bool {
    match (&one.shape, &other.shape) {
        (Shape::Struct(one), Shape::Struct(other)) => match (one, other) {
            (Fields::Named(_), Fields::Named(_)) | (Fields::Unit, Fields::Unit) => true,
            (Fields::Unnamed(one), Fields::Unnamed(other)) => {
                one.unnamed.len() == other.unnamed.len()
            }
            _ => false,
        },
        (Shape::Enum(one), Shape::Enum(other)) => !one.is_empty() && !other.is_empty(),
        (Shape::Root(_), Shape::Root(_)) => true,
        _ => false,
    }
}

/// The implementation that makes a type of one version of that of the other.
pub(super) fn implementation(name: &str, from: Side<'_>, to: Side<'_>) -> String {
    let ((from_name, from_types), (to_name, to_types)) = (from, to);
    let conversion = Conversion {
        from: from_types,
        to: to_types,
    };
    let shapes = from_types.get(name).zip(to_types.get(name));
    let body = shapes.map(|(from, to)| match (&from.shape, &to.shape) {
        (Shape::Struct(from), Shape::Struct(to)) => conversion.of_struct(from, to),
        (Shape::Enum(from), Shape::Enum(to)) => {
            conversion.of_enum(&format!("{from_name}::{name}"), from, to)
        }
        (_, Shape::Root(has_status)) => {
            let had_status = matches!(&from.shape, Shape::Root(true));
            of_root(had_status, *has_status)
        }
        _ => String::new(),
    });
    let body = body.unwrap_or_default();
    // A unit struct has nothing to take over.
    let value = if body.contains("value") { "value" } else { "_" };
    let (header, target) = (
        format!("impl From<{from_name}::{name}>"),
        format!("for {to_name}::{name}"),
    );
    let header = match header.len() + target.len() + 3 <= WIDTH {
        true => format!("{header} {target} {{"),
        false => format!("{header}\n    {target}\n{{"),
    };
    let argument = format!("{value}: {from_name}::{name}");
    let function = match argument.len() + 24 <= WIDTH {
        true => format!("fn from({argument}) -> Self {{"),
        false => format!("fn from(\n        {argument},\n    ) -> Self {{"),
    };
    format!("{header}\n    {function}\n        {body}\n    }}\n}}\n")
}

fn of_root(had_status: bool, has_status: bool) -> String {
    let mut fields = vec![
        "metadata: value.metadata".to_owned(),
        "spec: value.spec.into()".to_owned(),
    ];
    if has_status {
        let status = match had_status {
            true => "status: value.status.map(Into::into)",
            false => "status: None",
        };
        fields.push(status.to_owned());
    }
    braced("Self", &fields, 8)
}

/// From the types of one version to those of another.
struct Conversion<'a> {
    from: &'a Types,
    to: &'a Types,
}

impl Conversion<'_> {
    fn of_struct(&self, from: &Fields, to: &Fields) -> String {
        match (from, to) {
            (Fields::Unnamed(from), Fields::Unnamed(to)) => {
                let pairs = from.unnamed.iter().zip(&to.unnamed).enumerate();
                let values = pairs.map(|(index, (from, to))| {
                    let value = format!("value.{index}");
                    self.or_default(&value, &from.ty, &to.ty)
                });
                format!("Self({})", values.collect::<Vec<_>>().join(", "))
            }
            (Fields::Named(_), Fields::Named(_)) => {
                let fields = self.fields(from, to, 12, |name| format!("value.{name}"));
                braced("Self", &fields, 8)
            }
            _ => "Self".to_owned(),
        }
    }

    /// The fields of a target, each with the value that it gets.
    fn fields(
        &self,
        from: &Fields,
        to: &Fields,
        indent: usize,
        value: impl Fn(&str) -> String,
    ) -> Vec<String> {
        let fields = to.iter().filter_map(|field| {
            let name = field.ident.as_ref()?;
            let mut source = from.iter();
            let source = source.find(|one| one.ident.as_ref() == Some(name));
            let (name, value) = (name.to_string(), value(&name.to_string()));
            let value = match source {
                Some(source) => broken(&self.or_default(&value, &source.ty, &field.ty), indent),
                None => DEFAULT.to_owned(),
            };
            Some(match value == name {
                true => name,
                false => format!("{name}: {value}"),
            })
        });
        fields.collect()
    }

    fn of_enum(&self, path: &str, from: &[(String, Fields)], to: &[(String, Fields)]) -> String {
        let arms = from.iter().map(|(name, fields)| {
            let same = to.iter().find(|(other, _)| other == name);
            let (pattern, value) = match same {
                Some((_, target)) => self.of_variant(name, fields, target),
                // One that the target lacks becomes its first one, and is kept aside.
                None => (rest(name, fields), first(&to[0])),
            };
            format!("            {path}::{pattern} => {value},")
        });
        let arms = arms.collect::<Vec<_>>().join("\n");
        format!("match value {{\n{arms}\n        }}")
    }

    fn of_variant(&self, name: &str, from: &Fields, to: &Fields) -> (String, String) {
        match (from, to) {
            (Fields::Unit, Fields::Unit) => (name.to_owned(), format!("Self::{name}")),
            (Fields::Unnamed(from), Fields::Unnamed(to))
                if from.unnamed.len() == to.unnamed.len() =>
            {
                let names: Vec<_> = match from.unnamed.len() {
                    1 => vec!["value".to_owned()],
                    count => (0..count).map(|index| format!("value_{index}")).collect(),
                };
                let values = names.iter().zip(from.unnamed.iter().zip(&to.unnamed));
                let values =
                    values.map(|(name, (from, to))| self.or_default(name, &from.ty, &to.ty));
                let values: Vec<_> = values.collect();
                (
                    format!("{name}({})", names.join(", ")),
                    format!("Self::{name}({})", values.join(", ")),
                )
            }
            (Fields::Named(from_fields), Fields::Named(to_fields)) => {
                let is_in_target = |name: &syn::Ident| {
                    let mut fields = to_fields.named.iter();
                    fields.any(|field| field.ident.as_ref() == Some(name))
                };
                let idents = from_fields
                    .named
                    .iter()
                    .filter_map(|field| field.ident.as_ref());
                let (used, unused): (Vec<_>, Vec<_>) = idents.partition(|name| is_in_target(name));
                let mut names: Vec<_> = used.iter().map(ToString::to_string).collect();
                if !unused.is_empty() {
                    names.push("..".to_owned());
                }
                let fields = self.fields(from, to, 16, str::to_owned);
                (
                    braced(name, &names, 12),
                    braced(&format!("Self::{name}"), &fields, 12),
                )
            }
            _ => (rest(name, from), first(&(name.to_owned(), to.clone()))),
        }
    }

    fn or_default(&self, value: &str, from: &Type, to: &Type) -> String {
        let converted = self.convert(value, from, to);
        converted.unwrap_or_else(|| DEFAULT.to_owned())
    }

    /// The expression that makes a value of one type of that of another; nothing if none can.
    fn convert(&self, value: &str, from: &Type, to: &Type) -> Option<String> {
        if !self.has_own(from) && !self.has_own(to) {
            return (from == to).then(|| value.to_owned());
        }
        let ((name, from), (other, to)) = (applied(from)?, applied(to)?);
        if name != other || from.len() != to.len() {
            return None;
        }
        let both = self.from.get(&name).zip(self.to.get(&name));
        if from.is_empty() {
            let (from, to) = both?;
            return is_convertible(from, to).then(|| format!("{value}.into()"));
        }
        let inner = |value: &str, index: usize| self.convert(value, from[index], to[index]);
        let function = |inner: String, argument: &str| match inner.strip_suffix(".into()") {
            Some(plain) if plain == argument => "Into::into".to_owned(),
            _ => format!("|{argument}| {inner}"),
        };
        Some(match &*name {
            "Option" => format!("{value}.map({})", function(inner("value", 0)?, "value")),
            "Box" => format!("Box::new({})", inner(&format!("(*{value})"), 0)?),
            "Vec" | "BTreeSet" | "HashSet" => {
                let function = function(inner("value", 0)?, "value");
                format!("{value}.into_iter().map({function}).collect()")
            }
            "BTreeMap" | "HashMap" => {
                let (key, one) = (inner("key", 0)?, inner("value", 1)?);
                format!("{value}.into_iter().map(|(key, value)| ({key}, {one})).collect()")
            }
            _ => return None,
        })
    }

    /// Whether a type is one of the two versions, or made of some.
    fn has_own(&self, type_: &Type) -> bool {
        let Some((name, arguments)) = applied(type_) else {
            return false;
        };
        let is_own = self.from.get(&name).or(self.to.get(&name)).is_some();
        is_own || arguments.iter().any(|argument| self.has_own(argument))
    }
}

/// What a field gets that the other version cannot give.
const DEFAULT: &str = "Default::default()";

/// A pattern for a variant whatever it holds.
fn rest(name: &str, fields: &Fields) -> String {
    match fields {
        Fields::Unit => name.to_owned(),
        Fields::Unnamed(_) => format!("{name}(..)"),
        Fields::Named(_) => format!("{name} {{ .. }}"),
    }
}

/// A variant with the defaults of its fields.
fn first((name, fields): &(String, Fields)) -> String {
    match fields {
        Fields::Unit => format!("Self::{name}"),
        Fields::Unnamed(fields) => {
            let values = vec![DEFAULT; fields.unnamed.len()];
            format!("Self::{name}({})", values.join(", "))
        }
        Fields::Named(fields) => {
            let names = fields.named.iter().filter_map(|field| field.ident.as_ref());
            let fields: Vec<_> = names.map(|name| format!("{name}: {DEFAULT}")).collect();
            braced(&format!("Self::{name}"), &fields, 12)
        }
    }
}

/// A chain of calls, as rustfmt breaks it `indent` columns in.
fn broken(expression: &str, indent: usize) -> String {
    if expression.len() <= CHAIN_WIDTH {
        return expression.to_owned();
    }
    let indent = " ".repeat(indent + 4);
    let mut depth = 0;
    let mut broken = String::new();
    for c in expression.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '.' if depth == 0 => broken = broken + "\n" + &indent,
            _ => {}
        }
        broken.push(c);
    }
    broken
}

/// A struct with its fields, as rustfmt breaks it `indent` columns in.
fn braced(name: &str, fields: &[String], indent: usize) -> String {
    let one_line = fields.join(", ");
    if one_line.len() <= STRUCT_WIDTH {
        return format!("{name} {{ {one_line} }}");
    }
    let indent = " ".repeat(indent);
    let lines: String = fields
        .iter()
        .map(|field| match field == ".." {
            true => format!("\n{indent}    .."),
            false => format!("\n{indent}    {field},"),
        })
        .collect();
    format!("{name} {{{lines}\n{indent}}}")
}
