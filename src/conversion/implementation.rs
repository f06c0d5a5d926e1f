//! The implementations of `From` for the types of two versions.

use crate::error::Result;
use crate::rustfmt::{STRUCT_WIDTH, WIDTH, break_lines};

use super::bodies::{Arm, Body, Pattern};
use super::definition::Definition;
use super::expression::Expression;
use super::ty::Ty;
use super::way::Way;

impl Way<'_> {
    /// The implementation that makes a type of one version of that of the other.
    pub(super) fn implementation(&self, from: &Ty, to: &Ty) -> Result<String> {
        let place = &self.pairs.place;
        let definitions = &self.pairs.definitions;
        let names = place.written(from)?.ok().zip(place.written(to)?.ok());
        let read = definitions.get(from)?.zip(definitions.get(to)?);
        let (Some((from_name, to_name)), Some((from, to))) = (names, read) else {
            return Ok(String::new());
        };
        let body = self.body(&from, &to)?;
        let (value, body) = match &body {
            Body::Value(value) => {
                let text = value.laid_out(8, 8, 0);
                // A unit struct has nothing to take over.
                let name = if uses_value(value) { "value" } else { "_" };
                (name, text)
            }
            Body::Match(arms) if arms.is_empty() => ("value", "match value {}".to_owned()),
            Body::Match(arms) => {
                let path = of_pattern(&from_name);
                let arms: String = arms.iter().map(|arm| laid_out(arm, &path)).collect();
                ("value", format!("match value {{\n{arms}        }}"))
            }
        };
        let cfg = conditions(&from, &to);
        let header = format!("impl From<{from_name}>");
        let target = format!("for {to_name}");
        let header = if header.len() + target.len() + 3 <= WIDTH {
            format!("{header} {target} {{")
        } else {
            format!("{header}\n    {target}\n{{")
        };
        let signature = format!("    fn from({value}: {from_name}) -> Self {{");
        let function = break_lines(&signature);
        Ok(format!(
            "{cfg}{header}\n{function}\n        {body}\n    }}\n}}\n"
        ))
    }
}

/// The conditions that both types are compiled under.
fn conditions(from: &Definition, to: &Definition) -> String {
    let mut all: Vec<&String> = to.cfg.iter().collect();
    all.extend(
        from.cfg
            .iter()
            .filter(|attribute| !to.cfg.contains(attribute)),
    );
    all.into_iter()
        .map(|attribute| format!("{attribute}\n"))
        .collect()
}

fn uses_value(value: &Expression) -> bool {
    value.flat().contains("value")
}

/// A type as the path of a pattern: what it is applied to is known.
fn of_pattern(name: &str) -> String {
    name.split('<').next().unwrap_or(name).to_owned()
}

/// An arm, with its line end.
fn laid_out(arm: &Arm, path: &str) -> String {
    let indent = " ".repeat(12);
    let name = format!("{path}::{}", arm.variant);
    let pattern = match &arm.pattern {
        Pattern::Unit => name,
        Pattern::Any(brackets) => format!("{name}{brackets}"),
        Pattern::Numbered(names) => format!("{name}({})", names.join(", ")),
        Pattern::Named(names, has_others) => {
            let mut fields = names.join(", ");
            let is_narrow = fields.len() <= STRUCT_WIDTH;
            if *has_others {
                fields.push_str(", ..");
            }
            if fields.len() <= STRUCT_WIDTH {
                format!("{name} {{ {fields} }}")
            } else if is_narrow {
                format!("{name} {{\n{indent}    {fields}\n{indent}}}")
            } else {
                let mut lines: String = names
                    .iter()
                    .map(|field| format!("{indent}    {field},\n"))
                    .collect();
                if *has_others {
                    lines = lines + &indent + "    ..\n";
                }
                format!("{name} {{\n{lines}{indent}}}")
            }
        }
    };
    let cfg: String = arm
        .cfg
        .iter()
        .map(|cfg| format!("{indent}{cfg}\n"))
        .collect();
    let last = pattern.lines().last().unwrap_or_default().trim_start();
    let column = 12 + last.len() + 4;
    let value = arm.value.laid_out(12, column, 1);
    let first = value.lines().next().unwrap_or_default();
    let stays = matches!(
        arm.value,
        Expression::Struct(..) | Expression::Missing(_) | Expression::Call(..)
    );
    let is_wide = column + first.len() + 1 > WIDTH;
    if value.contains('\n') || is_wide {
        let below = arm.value.laid_out(16, 16, 0);
        let is_better = |left: &str, right: &str| {
            let ends =
                |text: &str, end| text.lines().next().is_some_and(|line| line.ends_with(end));
            !left.contains('\n')
                || right.lines().count() > left.lines().count() + 1
                || ['(', '{', '[']
                    .iter()
                    .any(|end| ends(right, *end) && !ends(left, *end))
        };
        if !stays || is_wide || is_better(&below, &value) {
            return format!("{cfg}{indent}{pattern} => {{\n{indent}    {below}\n{indent}}}\n");
        }
    }
    format!("{cfg}{indent}{pattern} => {value},\n")
}
