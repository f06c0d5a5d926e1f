//! Macros: loops over lists and maps.

use super::checked::{Check, Checked};
use super::expression::Expression;
use super::kind::{Kind, Typed};

/// Checks a macro, if it is one.
pub(super) fn check<'a>(
    scope: &mut dyn Check<'a>,
    target: &Expression,
    name: &str,
    arguments: &[Expression],
) -> Option<Result<Checked<'a>, String>> {
    match (name, arguments) {
        (
            "all" | "exists" | "exists_one" | "existsOne" | "filter" | "map",
            [Expression::Name(item), body],
        ) => Some(each(scope, target, name, &[item], &[body])),
        ("map", [Expression::Name(item), condition, body]) => {
            Some(each(scope, target, name, &[item], &[condition, body]))
        }
        (
            "all" | "exists" | "existsOne" | "exists_one",
            [Expression::Name(key), Expression::Name(item), body],
        ) => Some(each(scope, target, name, &[key, item], &[body])),
        (
            "transformList" | "transformMap" | "transformMapEntry",
            [Expression::Name(key), Expression::Name(item), rest @ ..],
        ) => Some(loosely(scope, target, &[key, item], rest)),
        ("sortBy" | "optMap" | "optFlatMap", [Expression::Name(item), rest @ ..]) => {
            Some(loosely(scope, target, &[item], rest))
        }
        ("all" | "exists" | "exists_one" | "existsOne" | "filter" | "map", _) => {
            Some(Err(format!(
                "`{name}` needs a variable and an expression, such as `self.{name}(x, x != '')`"
            )))
        }
        _ => None,
    }
}

/// A macro whose variables may be anything.
fn loosely<'a>(
    scope: &mut dyn Check<'a>,
    target: &Expression,
    variables: &[&String],
    bodies: &[Expression],
) -> Result<Checked<'a>, String> {
    let mut cost = scope.check(target)?.cost;
    for body in bodies {
        let variables = variables
            .iter()
            .map(|name| ((*name).clone(), Typed::new(Kind::Dyn, 0)));
        let found = scope.with(variables.collect(), body)?;
        cost = cost.saturating_add(found.cost);
    }
    Ok(Checked::new(Kind::Dyn, 0, cost))
}

fn each<'a>(
    scope: &mut dyn Check<'a>,
    target: &Expression,
    name: &str,
    variables: &[&String],
    bodies: &[&Expression],
) -> Result<Checked<'a>, String> {
    let of = scope.check(target)?;
    let (key, item) = match &of.typed.kind {
        Kind::List(item) => (Typed::new(Kind::Int, 0), (**item).clone()),
        Kind::Map(value) => (Typed::new(Kind::Text, 0), (**value).clone()),
        Kind::Dyn => (Typed::new(Kind::Dyn, 0), Typed::new(Kind::Dyn, 0)),
        _ => {
            return Err(format!(
                "`{name}` iterates over lists and maps, not over {}",
                of.typed.name()
            ));
        }
    };
    let is_map = matches!(of.typed.kind, Kind::Map(_));
    let types = match variables {
        [_] if is_map => vec![key],
        [_] => vec![item],
        _ => vec![key, item],
    };
    let variables: Vec<_> = variables
        .iter()
        .map(|name| (*name).clone())
        .zip(types)
        .collect();
    let element = variables[0].1.clone();
    let mut found = Vec::new();
    for body in bodies {
        found.push(scope.with(variables.clone(), body)?);
    }
    let conditions = if name == "map" {
        found.len() - 1
    } else {
        found.len()
    };
    for condition in &found[..conditions] {
        if !matches!(condition.typed.kind, Kind::Bool | Kind::Dyn) {
            return Err(format!(
                "`{name}` needs a condition, not {}",
                condition.typed.name()
            ));
        }
    }
    let body = found
        .iter()
        .fold(0_u64, |sum, it| sum.saturating_add(it.cost));
    // What the loop itself costs, once and for each item.
    let (once, step) = match name {
        "all" => (1, 3),
        "exists" => (1, 4),
        "exists_one" | "existsOne" => (2, 2),
        "filter" => (11, 13),
        _ => (11, 12),
    };
    let cost = body
        .saturating_add(step)
        .saturating_mul(of.typed.size)
        .saturating_add(of.cost)
        .saturating_add(once);
    let size = of.typed.size;
    Ok(match name {
        "filter" => Checked::new(Kind::List(Box::new(element)), size, cost),
        "map" => {
            let last = found.pop().map_or(Typed::new(Kind::Dyn, 0), |it| it.typed);
            Checked::new(Kind::List(Box::new(last)), size, cost)
        }
        _ => Checked::new(Kind::Bool, 1, cost),
    })
}
