//! Filters that templates use.

use tera::{Kwargs, State};

/// The widest line that rustfmt leaves alone.
const WIDTH: usize = 100;
/// The widest `use` with a list that rustfmt leaves on one line.
const USE_WIDTH: usize = 98;
/// The widest list of elements that rustfmt leaves on one line: `array_width`.
const ARRAY_WIDTH: usize = 60;

/// A string as a YAML scalar, quoted where it has to be.
pub(super) fn yaml(text: &str, _: Kwargs, _: &State) -> tera::TeraResult<String> {
    crate::yaml::to_string(&text)
        .map(|scalar| scalar.trim_end().to_owned())
        .map_err(|e| tera::Error::message(e.chain().collect::<Vec<_>>().join(": ")))
}

/// Names of a module as the end of a `use`, `{A, B};`, broken over lines as rustfmt does.
///
/// `path` is what stands before it.
pub(super) fn use_list(
    names: Vec<String>,
    arguments: Kwargs,
    _: &State,
) -> tera::TeraResult<String> {
    let path: String = arguments.must_get("path")?;
    let one_line = format!("{path}{{{}}};", names.join(", "));
    if one_line.len() <= USE_WIDTH {
        return Ok(one_line);
    }
    let mut lines = vec![String::new()];
    for name in names {
        let line = lines.last_mut().expect("there is always one");
        let used = if line.is_empty() {
            4
        } else {
            4 + line.len() + 1
        };
        if !line.is_empty() && used + name.len() + 1 > WIDTH {
            lines.push(format!("{name},"));
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&name);
            line.push(',');
        }
    }
    Ok(format!("{path}{{\n    {}\n}};", lines.join("\n    ")))
}

/// What stands between `open` and `close`, with commas: on one line where rustfmt leaves it there,
/// and on a line each where it does not. Each item gets `suffix` behind it.
///
/// `array` says that it is an array, whose items rustfmt gives less room. `indent` is how far in the
/// line starts.
pub(super) fn rust_list(
    items: Vec<String>,
    arguments: Kwargs,
    _: &State,
) -> tera::TeraResult<String> {
    let open: String = arguments.must_get("open")?;
    let close: String = arguments.must_get("close")?;
    let suffix: String = arguments.get("suffix")?.unwrap_or_default();
    let indent = arguments.get("indent")?.unwrap_or_default();
    let is_array: bool = arguments.get("array")?.unwrap_or_default();
    let items: Vec<String> = items.iter().map(|item| format!("{item}{suffix}")).collect();
    Ok(list(&items, &open, &close, indent, is_array))
}

/// As [`rust_list`], whose items may have lines of their own.
pub(super) fn list(
    items: &[String],
    open: &str,
    close: &str,
    indent: usize,
    is_array: bool,
) -> String {
    let indent = " ".repeat(indent);
    // One item alone gets all the room.
    let width = match is_array && items.len() > 1 {
        true => ARRAY_WIDTH,
        false => WIDTH,
    };
    let one_line = items.join(", ");
    let whole = format!("{open}{one_line}{close}");
    let fits = one_line.len() <= width && indent.len() + whole.len() <= WIDTH;
    if fits && !one_line.contains('\n') {
        return whole;
    }
    let lines: String = items
        .iter()
        .map(|item| format!("\n{indent}    {item},"))
        .collect();
    format!("{open}{lines}\n{indent}{close}")
}

/// A path as `include_str!("…")`, an argument that stands on a line of its own `indent` columns in:
/// broken over lines if rustfmt does so.
pub(super) fn include_str(path: &str, arguments: Kwargs, _: &State) -> tera::TeraResult<String> {
    let indent = " ".repeat(arguments.must_get("indent")?);
    let whole = format!("include_str!(\"{path}\")");
    // With a comma behind it.
    if indent.len() + whole.len() < WIDTH {
        return Ok(whole);
    }
    Ok(format!("include_str!(\n{indent}    \"{path}\"\n{indent})"))
}
