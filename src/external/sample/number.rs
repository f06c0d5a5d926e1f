//! Numbers that a schema allows.

use serde_json::{Number, Value};

use crate::external::validate::holds;

/// A number that a schema allows, other than those that are taken; 1 if none is found.
pub(super) fn number(schema: &Value, taken: &[Value]) -> Value {
    let keyword = |name: &str| schema[name].as_f64();
    let (least, most) = (keyword("minimum"), keyword("maximum"));
    let step = keyword("multipleOf").unwrap_or(1.0);
    let multiple = |start: f64| (start / step).ceil() * step;
    let start = least.or(most.map(|most| most.min(1.0))).unwrap_or(1.0);
    let middle = least
        .zip(most)
        .map(|(least, most)| f64::midpoint(least, most));
    let bounds = [Some(1.0), Some(0.0), least, most, middle];
    let steps = (0..1000_u32).map(|count| multiple(start) + f64::from(count) * step);
    let down = (0..100_u32).map(|count| (start / step).floor() * step - f64::from(count) * step);
    let all = bounds.into_iter().flatten().chain(steps).chain(down);
    let mut values = all.filter_map(json);
    values
        .find(|value| holds(schema, value) && !taken.contains(value))
        .unwrap_or_else(|| 1.into())
}

/// A number as JSON has it: whole ones without a fraction.
fn json(number: f64) -> Option<Value> {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number of 53 bits")]
    if number.fract() == 0.0 && number.abs() < 9e15 {
        return Some((number as i64).into());
    }
    Number::from_f64(number).map(Value::Number)
}
