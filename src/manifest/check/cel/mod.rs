//! Expressions of `x-kubernetes-validations`: whether they compile, and what they may cost.

mod check;
mod checked;
mod expression;
mod functions;
mod kind;
mod lexer;
mod macros;
mod operators;
mod parser;

use serde_json::Value;

use super::problem::Report;
use super::rule;
use super::schema::{child, each, fields, is, list, text};

use check::Scope;
use checked::{Check as _, Checked};
use functions::Language;
use kind::{Kind, Typed, most_often};
use parser::{ParseFault, parse};

/// The most that a rule may cost by its estimate.
const RULE_LIMIT: u64 = 10_000_000;

/// The most that all rules of a version may cost together.
const LIMIT: u64 = 100_000_000;

const TOO_EXPENSIVE: &str = "limit the sizes that the rule iterates over: `#[schemars(length(max \
    = …))]` on lists and strings, `#[schemars(extend(\"maxProperties\" = …))]` on maps, up to the \
    root";

/// Where a schema is, as far as rules are concerned.
#[derive(Clone)]
struct RuleScope {
    path: String,
    is_root: bool,
    /// How often it can be in an object, if that is limited.
    times: Option<u64>,
    /// The list around it whose items have no old value.
    forgets: Option<String>,
}

/// Why OLM does not take a text as the rule of a constraint, as far as its types are certain.
pub(crate) fn constraint_fault(text: &str) -> Option<String> {
    let expression = match parse(text) {
        Ok(expression) => expression,
        Err(ParseFault::Syntax(fault)) => return Some(fault),
        Err(ParseFault::Depth) => return Some("it is nested too deeply, or too long".to_owned()),
    };
    let value = Typed::new(Kind::Dyn, 0);
    let property = Typed::new(Kind::Map(Box::new(value)), 0);
    let properties = Typed::new(Kind::List(Box::new(property)), 0);
    let variables = vec![("properties".to_owned(), properties)];
    match Scope::new(Language::Constraint, variables).check(&expression) {
        Err(fault) => Some(fault),
        Ok(found) if matches!(found.typed.kind, Kind::Bool) => None,
        Ok(found) => Some(format!("it is {}, not bool", found.typed.name())),
    }
}

pub(super) fn check(schema: &Value, report: &mut Report<'_>) {
    let root = RuleScope {
        path: String::new(),
        is_root: true,
        times: Some(1),
        forgets: None,
    };
    let mut total = 0;
    walk(schema, &root, &mut total, report);
    if total > LIMIT {
        let rule = format!(
            "all rules together have an estimated cost of {total}, more than \
            {LIMIT}"
        );
        report.refuse("", rule).hint(TOO_EXPENSIVE);
    }
}

fn walk(schema: &Value, place: &RuleScope, total: &mut u64, report: &mut Report<'_>) {
    rules(schema, place, total, report);
    let limit = match text(&schema["type"]) {
        "object" if schema["additionalProperties"].is_object() => schema["maxProperties"].as_u64(),
        "array" => schema["maxItems"].as_u64(),
        _ => Some(1),
    };
    let times = place
        .times
        .zip(limit)
        .map(|(times, limit)| times.saturating_mul(limit));
    let below = |path: String, schema: &Value| RuleScope {
        path,
        is_root: is(schema, "x-kubernetes-embedded-resource"),
        times,
        forgets: place.forgets.clone(),
    };
    for (name, property) in fields(&schema["properties"]) {
        walk(
            property,
            &below(child(&place.path, name), property),
            total,
            report,
        );
    }
    let additional = &schema["additionalProperties"];
    if additional.is_object() {
        walk(
            additional,
            &below(each(&place.path), additional),
            total,
            report,
        );
    }
    let items = &schema["items"];
    if items.is_object() {
        let mut below = below(each(&place.path), items);
        if schema["x-kubernetes-list-type"] != "map" {
            below.forgets.get_or_insert_with(|| place.path.clone());
        }
        walk(items, &below, total, report);
    }
}

fn rules(schema: &Value, place: &RuleScope, total: &mut u64, report: &mut Report<'_>) {
    let rules = list(&schema["x-kubernetes-validations"]);
    if rules.is_empty() {
        return;
    }
    let Some(this) = Typed::of(schema, place.is_root) else {
        let path = rule::place(&place.path, 0);
        report.refuse(&path, "a field without a type cannot have rules");
        return;
    };
    let times = place.times.unwrap_or_else(|| most_often(schema));
    for (at, rule) in rules.iter().enumerate() {
        let path = rule::place(&place.path, at);
        let (expression, message) = (text(&rule["rule"]), text(&rule["messageExpression"]));
        let is_optional = rule["optionalOldSelf"] == true;
        let mut check =
            |text: &str, what: &str, expected: &str| match of_one(text, &this, is_optional) {
                Ok(Some(found)) if !found.typed.is_dyn() && found.typed.name() != expected => {
                    let rule = format!(
                        "`{text}` is {}, but a {what} must be {expected}",
                        found.typed.name()
                    );
                    report.refuse(&path, rule);
                }
                Ok(found) => {
                    let cost = found
                        .map_or(0, |it| it.cost)
                        .saturating_mul(if what == "rule" { times } else { 1 });
                    *total = total.saturating_add(cost);
                    if cost > RULE_LIMIT {
                        let rule = format!(
                            "`{text}` has an estimated cost of {cost}, more than \
                            {RULE_LIMIT}"
                        );
                        report.refuse(&path, rule).hint(TOO_EXPENSIVE);
                    }
                }
                Err(fault) => {
                    report.refuse(&path, format!("`{text}` does not compile: {fault}"));
                }
            };
        check(expression, "rule", "bool");
        if !message.is_empty() {
            check(message, "messageExpression", "string");
        }
        old_self(rule, expression, &path, place, report);
    }
}

/// Checks an expression. Nothing is known of some.
fn of_one<'a>(
    text: &str,
    this: &Typed<'a>,
    is_optional: bool,
) -> Result<Option<Checked<'a>>, String> {
    let expression = match parse(text) {
        Ok(expression) => expression,
        Err(ParseFault::Depth) => return Ok(None),
        Err(ParseFault::Syntax(fault)) => return Err(fault),
    };
    let old = if is_optional {
        Typed::new(Kind::Dyn, 0)
    } else {
        this.clone()
    };
    let variables =
        [("self", this.clone()), ("oldSelf", old)].map(|(name, typed)| (name.to_owned(), typed));
    Scope::new(Language::Schema, variables.into())
        .check(&expression)
        .map(Some)
}

fn old_self(rule: &Value, text: &str, path: &str, place: &RuleScope, report: &mut Report<'_>) {
    let Ok(expression) = parse(text) else {
        return;
    };
    if !expression.mentions("oldSelf") {
        if !rule["optionalOldSelf"].is_null() {
            report.refuse(
                path,
                "`optionalOldSelf` is set, but the rule does not use `oldSelf`",
            );
        }
        return;
    }
    if let Some(list) = &place.forgets {
        report
            .refuse(path, format!("`oldSelf` cannot be used within `{list}`, whose items have no \
                identity"))
            .hint("make the list a map: `#[x_kube(merge_strategy = ListMerge::Map(vec![\"name\".into()]))]`, \
                or write the rule above it");
    }
}
