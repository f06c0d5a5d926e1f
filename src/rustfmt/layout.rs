//! Values on several lines.

use super::item::{Group, Item};
use super::{CALL_WIDTH, INDENT, WIDTH, blanks, width};

/// Lays a value out: `indent` is that of the line, `column` where it begins, `after` what follows it on the line.
/// `None` for what is not known here.
pub(super) fn laid_out(
    item: &Item<'_>,
    indent: usize,
    column: usize,
    after: usize,
) -> Option<String> {
    if item.fits(WIDTH.saturating_sub(column + after)) || item.groups.is_empty() {
        return Some(item.text.to_owned());
    }
    broken(item, indent, column, after)
}

/// As [`laid_out`], on several lines.
fn broken(item: &Item<'_>, indent: usize, column: usize, after: usize) -> Option<String> {
    if item.is_complex {
        return None;
    }
    if let Some((root, steps)) = item.steps() {
        return (column == indent).then(|| chain(root, &steps, indent + INDENT, after))?;
    }
    let (head, group) = item.call()?;
    let (open, close) = group.brackets(item);
    let column = column + width(head) + 1;
    let inner = match &group.items[..] {
        [] if column > WIDTH => return Some(item.text.to_owned()),
        [only] if stays(only, group, column) => broken(only, indent, column, after + 1)?,
        _ => below(item, group, indent)?,
    };
    Some(format!("{head}{open}{inner}{close}"))
}

/// A value, and the methods that are called on it on a line each.
fn chain(root: &str, steps: &[&str], indent: usize, after: usize) -> Option<String> {
    let mut lines = root.to_owned();
    for (index, step) in steps.iter().enumerate() {
        let after = if index + 1 == steps.len() { after } else { 0 };
        let step = laid_out(&Item::parse(step)?, indent, indent, after)?;
        lines.extend(["\n", &blanks(indent), &step]);
    }
    Some(lines)
}

/// Whether the only argument of a call begins on the line of the call, and ends on another.
fn stays(item: &Item<'_>, of: &Group<'_>, column: usize) -> bool {
    let head = item.call().map_or(0, |(head, _)| width(head) + 1);
    let has_room = head <= CALL_WIDTH && column + head <= WIDTH;
    // A tuple of one has a comma.
    item.stays_open() && has_room && !of.text.ends_with(',')
}

/// Arguments on a line each.
fn below(item: &Item<'_>, group: &Group<'_>, indent: usize) -> Option<String> {
    let is_macro = item.text[..group.range.start].ends_with('!');
    let is_array = group.brackets(item).0 == "[";
    let last = if is_macro && !is_array { "" } else { "," };
    let start = blanks(indent + INDENT);
    let mut lines = String::from("\n");
    for (index, argument) in group.items.iter().enumerate() {
        let is_last = index + 1 == group.items.len();
        let comma = if is_last { last } else { "," };
        let argument = laid_out(argument, indent + INDENT, indent + INDENT, comma.len())?;
        lines.extend([&*start, &argument, comma, "\n"]);
    }
    lines.push_str(&blanks(indent));
    Some(lines)
}
