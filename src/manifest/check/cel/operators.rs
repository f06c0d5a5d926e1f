//! Operators: what they take, give and cost.

use super::checked::{Checked, comparing};
use super::functions::reading;
use super::kind::{Kind, Typed};

/// Checks an operator, if it is one.
pub(super) fn check<'a>(
    name: &str,
    operands: &[Checked<'a>],
) -> Option<Result<Checked<'a>, String>> {
    let cost = operands
        .iter()
        .fold(0_u64, |sum, it| sum.saturating_add(it.cost));
    let bool = |more: u64| Ok(Checked::new(Kind::Bool, 1, cost.saturating_add(more)));
    Some(match (name, operands) {
        ("&&" | "||", [left, right]) => {
            match [left, right].into_iter().find(|it| !is_bool(&it.typed)) {
                Some(other) => Err(format!("`{name}` needs bools, not {}", other.typed.name())),
                None => bool(0),
            }
        }
        ("!", [operand]) if is_bool(&operand.typed) => bool(1),
        ("!", [operand]) => Err(format!("`!` needs a bool, not {}", operand.typed.name())),
        ("?:", [condition, yes, no]) => choice(condition, yes, no),
        ("==" | "!=", [left, right]) => {
            if differ(&left.typed, &right.typed) {
                return Some(Err(cannot_compare(name, left, right)));
            }
            bool(comparing(&left.typed, &right.typed))
        }
        ("<" | "<=" | ">" | ">=", [left, right]) => {
            if !are_ordered(&left.typed, &right.typed) {
                return Some(Err(cannot_compare(name, left, right)));
            }
            bool(match left.typed.kind {
                Kind::Text | Kind::Bytes => comparing(&left.typed, &right.typed),
                _ => 1,
            })
        }
        ("in", [item, within]) => contains(item, within).and_then(bool),
        ("+" | "-" | "*" | "/" | "%", [left, right]) => arithmetic(name, left, right),
        ("-x", [operand]) => match operand.typed.kind {
            Kind::Int | Kind::Double | Kind::Dyn | Kind::Duration => Ok(Checked {
                typed: operand.typed.clone(),
                cost: cost.saturating_add(1),
            }),
            _ => Err(format!("`-` needs a number, not {}", operand.typed.name())),
        },
        ("[]", [of, index]) => at(of, index),
        ("[?]", _) => Ok(Checked::new(Kind::Dyn, 0, cost.saturating_add(1))),
        _ => return None,
    })
}

fn is_bool(typed: &Typed<'_>) -> bool {
    matches!(typed.kind, Kind::Bool | Kind::Dyn)
}

fn is_number(typed: &Typed<'_>) -> bool {
    matches!(typed.kind, Kind::Int | Kind::Uint | Kind::Double)
}

fn cannot_compare(name: &str, left: &Checked<'_>, right: &Checked<'_>) -> String {
    format!(
        "`{name}` cannot compare {} with {}",
        left.typed.name(),
        right.typed.name()
    )
}

/// Whether two types certainly differ.
pub(super) fn differ(left: &Typed<'_>, right: &Typed<'_>) -> bool {
    match (&left.kind, &right.kind) {
        (Kind::Dyn, _) | (_, Kind::Dyn) => false,
        (Kind::List(left), Kind::List(right)) | (Kind::Map(left), Kind::Map(right)) => {
            differ(left, right)
        }
        // Objects, times and durations can be null.
        (Kind::Null, other) | (other, Kind::Null) => !matches!(
            other,
            Kind::Null | Kind::Object(..) | Kind::Duration | Kind::Timestamp | Kind::Type
        ),
        (left, right) => std::mem::discriminant(left) != std::mem::discriminant(right),
    }
}

fn are_ordered(left: &Typed<'_>, right: &Typed<'_>) -> bool {
    let can_be = |typed: &Typed<'_>| {
        !matches!(
            typed.kind,
            Kind::Null | Kind::List(_) | Kind::Map(_) | Kind::Object(..) | Kind::Type
        )
    };
    let numbers = is_number(left) && is_number(right);
    can_be(left) && can_be(right) && (numbers || !differ(left, right))
}

fn choice<'a>(
    condition: &Checked<'a>,
    yes: &Checked<'a>,
    no: &Checked<'a>,
) -> Result<Checked<'a>, String> {
    if !is_bool(&condition.typed) {
        return Err(format!("`?:` needs a bool, not {}", condition.typed.name()));
    }
    if differ(&yes.typed, &no.typed) {
        return Err(format!(
            "the branches of `?:` have different types: {} and {}",
            yes.typed.name(),
            no.typed.name()
        ));
    }
    let kind = match (&yes.typed.kind, &no.typed.kind) {
        (Kind::Dyn, _) | (_, Kind::Dyn) => Kind::Dyn,
        (Kind::Null, other) => other.clone(),
        (kind, _) => kind.clone(),
    };
    let cost = condition.cost.saturating_add(yes.cost.max(no.cost));
    Ok(Checked::new(kind, yes.typed.size.max(no.typed.size), cost))
}

/// What looking for an item costs.
fn contains(item: &Checked<'_>, within: &Checked<'_>) -> Result<u64, String> {
    let (of, cost) = match &within.typed.kind {
        Kind::List(of) => ((**of).clone(), within.typed.size),
        Kind::Map(_) => (Typed::new(Kind::Text, 0), 1),
        Kind::Dyn => return Ok(0),
        _ => {
            return Err(format!(
                "`in` needs a list or a map, not {}",
                within.typed.name()
            ));
        }
    };
    if differ(&item.typed, &of) {
        return Err(format!(
            "`in` cannot find {} in a list of {}",
            item.typed.name(),
            of.name()
        ));
    }
    Ok(cost)
}

fn arithmetic<'a>(
    name: &str,
    left: &Checked<'a>,
    right: &Checked<'a>,
) -> Result<Checked<'a>, String> {
    let (one, other) = (&left.typed, &right.typed);
    let cost = left.cost.saturating_add(right.cost);
    let size = one.size.saturating_add(other.size);
    let refused = || {
        Err(format!(
            "`{name}` does not apply to {} and {}",
            one.name(),
            other.name()
        ))
    };
    let is_time = |typed: &Typed<'_>| matches!(typed.kind, Kind::Duration | Kind::Timestamp);
    if one.is_dyn() || other.is_dyn() {
        return Ok(Checked::new(Kind::Dyn, 0, cost.saturating_add(1)));
    }
    if is_time(one) || is_time(other) {
        let fits = is_time(one) && is_time(other) && ["+", "-"].contains(&name);
        let found = Checked::new(Kind::Dyn, 1, cost.saturating_add(1));
        return if fits { Ok(found) } else { refused() };
    }
    if differ(one, other) {
        return refused();
    }
    match (name, &one.kind) {
        ("+", Kind::Text | Kind::Bytes) => Ok(Checked::new(
            one.kind.clone(),
            size,
            cost.saturating_add(reading(size)),
        )),
        ("+", Kind::List(_)) => Ok(Checked::new(one.kind.clone(), size, cost.saturating_add(1))),
        ("%", Kind::Double) => refused(),
        (_, Kind::Int | Kind::Uint | Kind::Double) => {
            Ok(Checked::new(one.kind.clone(), 1, cost.saturating_add(1)))
        }
        _ => refused(),
    }
}

fn at<'a>(of: &Checked<'a>, index: &Checked<'a>) -> Result<Checked<'a>, String> {
    let cost = of.cost.saturating_add(index.cost).saturating_add(1);
    let (typed, fits) = match &of.typed.kind {
        Kind::List(of) => (
            (**of).clone(),
            matches!(index.typed.kind, Kind::Int | Kind::Dyn),
        ),
        Kind::Map(of) => (
            (**of).clone(),
            matches!(index.typed.kind, Kind::Text | Kind::Dyn),
        ),
        Kind::Dyn => (Typed::new(Kind::Dyn, 0), true),
        _ => return Err(format!("{} has no items", of.typed.name())),
    };
    if !fits {
        return Err(format!(
            "{} cannot be indexed by {}",
            of.typed.name(),
            index.typed.name()
        ));
    }
    Ok(Checked { typed, cost })
}
