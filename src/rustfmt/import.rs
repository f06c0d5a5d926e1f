//! Imports of several names.

use super::item::Item;
use super::{INDENT, WIDTH, blanks, width};

/// The widest import of several names on one line.
const IMPORT_WIDTH: usize = 98;

/// Whether a line imports something.
pub(super) fn is_import(line: &str) -> bool {
    line.starts_with("use ") || line.starts_with("pub use ")
}

/// An import without its indent, broken where it is too long.
pub(super) fn broken(line: &str, indent: usize) -> Option<String> {
    if indent + width(line) <= IMPORT_WIDTH {
        return None;
    }
    let import = Item::parse(line.strip_suffix(';')?)?;
    let (path, names) = import.call()?;
    if import.groups.len() > 1
        || !path.ends_with("::")
        || names.items.iter().any(|name| name.is_complex)
    {
        return None;
    }
    let inside = indent + INDENT;
    let mut lines: Vec<String> = Vec::new();
    for name in &names.items {
        match lines.last_mut() {
            Some(line) if inside + width(line) + 1 + name.width() < WIDTH => {
                line.extend([" ", name.text, ","]);
            }
            _ => lines.push(format!("{},", name.text)),
        }
    }
    let start = format!("\n{}", blanks(inside));
    let lines: String = lines.iter().flat_map(|line| [&*start, line]).collect();
    let (open, close) = names.brackets(&import);
    Some(format!("{path}{open}{lines}\n{}{close};", blanks(indent)))
}
