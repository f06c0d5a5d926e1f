//! Lines that are statements, or arguments and calls in a statement of several lines.

use super::item::Item;
use super::layout::laid_out;
use super::{CALL_WIDTH, INDENT, WIDTH, blanks, function, import, width};

/// What a line starts with that gives something a name.
const DECLARATIONS: [&str; 6] = [
    "let ",
    "const ",
    "pub const ",
    "static ",
    "pub static ",
    "type ",
];

/// A line of code, broken where rustfmt would. `None` where it stays as it is.
pub(super) fn broken(line: &str) -> Option<String> {
    if line.len() <= CALL_WIDTH {
        return None;
    }
    let code = line.trim_start_matches(' ');
    let indent = line.len() - code.len();
    let broken = if import::is_import(code) {
        import::broken(code, indent)
    } else if function::is_function(code) {
        function::broken(code, indent)
    } else if DECLARATIONS.iter().any(|word| code.starts_with(word)) {
        declaration(code, indent)
    } else {
        expression(code, indent)
    };
    let broken = broken.map(|text| blanks(indent) + &text);
    broken.filter(|text| text.contains('\n'))
}

fn expression(code: &str, indent: usize) -> Option<String> {
    let value = code.trim_end_matches([';', ',']);
    let end = &code[value.len()..];
    let value = laid_out(&Item::parse(value)?, indent, indent, end.len())?;
    Some(value + end)
}

fn declaration(code: &str, indent: usize) -> Option<String> {
    let (name, value) = code.strip_suffix(';')?.split_once(" = ")?;
    let parsed = Item::parse(value)?;
    let column = indent + width(name) + 3;
    if parsed.fits(WIDTH.saturating_sub(column + 1)) {
        return None;
    }
    let inside = indent + INDENT;
    let is_path = name.starts_with("type ");
    let value = if is_path || parsed.fits(WIDTH.saturating_sub(inside + 1)) {
        format!("\n{}{}", blanks(inside), parsed.text)
    } else {
        format!(" {}", laid_out(&parsed, indent, column, 1)?)
    };
    Some(format!("{name} ={value};"))
}
