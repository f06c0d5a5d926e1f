//! Types and costs of an expression. What is not known for certain is `dyn`, and costs nothing: then the API server has
//! the last word.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::checked::{Check, Checked};
use super::expression::Expression;
use super::functions::{Language, cost, is_of_texts, is_type, result};
use super::kind::{Kind, Typed, field};
use super::{macros, operators};

/// The variables that an expression can name.
pub(super) struct Scope<'a> {
    language: Language,
    variables: Vec<(String, Typed<'a>)>,
}

impl<'a> Check<'a> for Scope<'a> {
    fn check(&mut self, expression: &Expression) -> Result<Checked<'a>, String> {
        Ok(match expression {
            Expression::Null => Checked::new(Kind::Null, 1, 0),
            Expression::Bool => Checked::new(Kind::Bool, 1, 0),
            Expression::Int => Checked::new(Kind::Int, 1, 0),
            Expression::Uint => Checked::new(Kind::Uint, 1, 0),
            Expression::Double => Checked::new(Kind::Double, 1, 0),
            Expression::Text(text) => Checked::new(Kind::Text, text.chars().count() as u64, 0),
            Expression::Bytes(length) => Checked::new(Kind::Bytes, *length as u64, 0),
            Expression::Name(name) => self.name(name)?,
            Expression::Field {
                of,
                name,
                is_optional,
            } => self.field(of, name, *is_optional)?,
            Expression::Call {
                target: Some(target),
                name,
                arguments,
            } => self.method(target, name, arguments)?,
            Expression::Call {
                target: None,
                name,
                arguments,
            } => self.function(name, arguments)?,
            Expression::List(items) => self.list(items)?,
            Expression::Map(entries) => self.map(entries)?,
            Expression::Message => Checked::new(Kind::Dyn, 0, 40),
        })
    }

    fn with(
        &mut self,
        variables: Vec<(String, Typed<'a>)>,
        expression: &Expression,
    ) -> Result<Checked<'a>, String> {
        let before = self.variables.len();
        self.variables.extend(variables);
        let found = self.check(expression);
        self.variables.truncate(before);
        found
    }
}

impl<'a> Scope<'a> {
    pub(super) fn new(language: Language, variables: Vec<(String, Typed<'a>)>) -> Self {
        Self {
            language,
            variables,
        }
    }

    fn variable(&self, name: &str) -> Option<&Typed<'a>> {
        let mut variables = self.variables.iter().rev();
        variables
            .find(|(variable, _)| variable == name)
            .map(|(_, typed)| typed)
    }

    /// Whether it is a namespace of two words, or a type of one.
    fn is_namespaced(&self, target: &Expression) -> bool {
        match target {
            Expression::Name(name) => self.language.has_namespace(name),
            Expression::Field { of, .. } => self.is_namespaced(of),
            _ => false,
        }
    }

    fn name(&self, name: &str) -> Result<Checked<'a>, String> {
        if let Some(typed) = self.variable(name) {
            return Ok(Checked {
                typed: typed.clone(),
                cost: 1,
            });
        }
        if is_type(name) {
            return Ok(Checked::new(Kind::Type, 0, 1));
        }
        if self.language.has_namespace(name) {
            return Ok(Checked::new(Kind::Dyn, 0, 0));
        }
        Err(format!(
            "unknown name `{name}`: a rule can use {}",
            self.language.variables()
        ))
    }

    fn field(
        &mut self,
        of: &Expression,
        name: &str,
        is_optional: bool,
    ) -> Result<Checked<'a>, String> {
        let Checked { typed, cost } = self.check(of)?;
        let found = match &typed.kind {
            Kind::Object(schema, is_root) => {
                let found =
                    metadata(schema, *is_root, name).or_else(|| field(schema, *is_root, name));
                found.ok_or_else(|| no_field(schema, name))?
            }
            Kind::Map(values) => (**values).clone(),
            Kind::Dyn => Typed::new(Kind::Dyn, 0),
            _ => return Err(format!("{} has no field `{name}`", typed.name())),
        };
        let cost = cost.saturating_add(u64::from(!typed.is_dyn()));
        if is_optional {
            return Ok(Checked::new(Kind::Dyn, 0, cost));
        }
        Ok(Checked { typed: found, cost })
    }

    fn list(&mut self, items: &[Expression]) -> Result<Checked<'a>, String> {
        let mut cost = 10_u64;
        let mut of = Typed::new(Kind::Dyn, 0);
        for (at, item) in items.iter().enumerate() {
            let found = self.check(item)?;
            cost = cost.saturating_add(found.cost);
            let size = of.size.max(found.typed.size);
            of = match at {
                0 => found.typed,
                _ if operators::differ(&of, &found.typed) => {
                    return Err(format!(
                        "a list has both {} and {}",
                        of.name(),
                        found.typed.name()
                    ));
                }
                _ if found.typed.is_dyn() => found.typed,
                _ => of,
            };
            of.size = size;
        }
        Ok(Checked::new(
            Kind::List(Box::new(of)),
            items.len() as u64,
            cost,
        ))
    }

    fn map(&mut self, entries: &[(Expression, Expression)]) -> Result<Checked<'a>, String> {
        let mut cost = 30_u64;
        for (key, value) in entries {
            cost = cost.saturating_add(self.check(key)?.cost);
            cost = cost.saturating_add(self.check(value)?.cost);
        }
        // Keys may be numbers, so it is none of the maps of schemas.
        Ok(Checked::new(Kind::Dyn, 0, cost))
    }

    fn function(&mut self, name: &str, arguments: &[Expression]) -> Result<Checked<'a>, String> {
        if name == "has" {
            let [
                Expression::Field {
                    of,
                    name,
                    is_optional: false,
                },
            ] = arguments
            else {
                return Err("`has` needs a field, such as `has(self.a)`".to_owned());
            };
            let found = self.field(of, name, false)?;
            let cost = self.check(of)?.cost;
            drop(found);
            return Ok(Checked::new(Kind::Bool, 1, cost));
        }
        let mut found = Vec::new();
        for argument in arguments {
            found.push(self.check(argument)?);
        }
        if let Some(found) = operators::check(name, &found) {
            return found;
        }
        if !self.language.has_function(name) {
            return Err(format!("unknown function `{name}`"));
        }
        let sum = found
            .iter()
            .fold(0_u64, |sum, it| sum.saturating_add(it.cost));
        let nothing = Typed::new(Kind::Dyn, 0);
        let first = found.first().map_or(&nothing, |it| &it.typed);
        if name == "size" && !has_size(first) {
            return Err(format!("{} has no size", first.name()));
        }
        let second = found.get(1).map(|it| &it.typed);
        Ok(Checked {
            typed: result(name, first),
            cost: sum.saturating_add(cost(name, first, second)),
        })
    }

    fn method(
        &mut self,
        target: &Expression,
        name: &str,
        arguments: &[Expression],
    ) -> Result<Checked<'a>, String> {
        if let Some(found) = macros::check(self, target, name, arguments) {
            return found;
        }
        if let Expression::Name(space) = target
            && self.variable(space).is_none()
            && self.language.has_namespace(space)
        {
            for argument in arguments {
                self.check(argument)?;
            }
            return Ok(Checked::new(Kind::Dyn, 0, 1));
        }
        let of = self.check(target)?;
        if !self.language.has_method(name) && !self.is_namespaced(target) {
            return Err(format!("unknown method `{name}`"));
        }
        let mut sum = of.cost;
        let mut first = None;
        for argument in arguments {
            let found = self.check(argument)?;
            sum = sum.saturating_add(found.cost);
            first.get_or_insert(found.typed);
        }
        if is_of_texts(name) && !matches!(of.typed.kind, Kind::Text | Kind::Dyn) {
            return Err(format!(
                "`{name}` is a method of strings, not of {}",
                of.typed.name()
            ));
        }
        if name == "contains" && !matches!(of.typed.kind, Kind::Text | Kind::Dyn) {
            return Err(format!(
                "`contains` is a method of strings, not of {}: write `x in …`",
                of.typed.name()
            ));
        }
        if name == "size" && !has_size(&of.typed) {
            return Err(format!("{} has no size", of.typed.name()));
        }
        Ok(Checked {
            typed: result(name, &of.typed),
            cost: sum.saturating_add(cost(name, &of.typed, first.as_ref())),
        })
    }
}

fn has_size(typed: &Typed<'_>) -> bool {
    matches!(
        typed.kind,
        Kind::Text | Kind::Bytes | Kind::List(_) | Kind::Map(_) | Kind::Dyn
    )
}

/// Metadata of objects, of which a rule sees the names, unless a schema says all of it.
fn metadata<'a>(schema: &Value, is_root: bool, name: &str) -> Option<Typed<'a>> {
    static NAMES: LazyLock<Value> = LazyLock::new(|| {
        json!({"type": "object", "properties": {
            "name": {"type": "string"}, "generateName": {"type": "string"},
        }})
    });
    let declared = &schema["properties"]["metadata"]["properties"];
    let is_said =
        declared["name"]["type"] == "string" && declared["generateName"]["type"] == "string";
    (is_root && name == "metadata" && !is_said).then(|| Typed::new(Kind::Object(&NAMES, false), 0))
}

fn no_field(schema: &Value, name: &str) -> String {
    let is_unseen = schema["properties"].get(name).is_some();
    if is_unseen {
        return format!(
            "a rule cannot use the field `{name}`: it has no type, or a name that CEL escapes"
        );
    }
    let fields = schema["properties"].as_object().into_iter().flatten();
    let near = fields
        .map(|(field, _)| (strsim::damerau_levenshtein(field, name), field))
        .filter(|(distance, _)| *distance <= 2)
        .min();
    match near {
        Some((_, field)) => format!("unknown field `{name}`: did you mean `{field}`?"),
        None => format!("unknown field `{name}`"),
    }
}
