//! Expressions on several lines, as rustfmt breaks them.

use super::expression::{Expression, FieldValue, fit, quoted};
use crate::rustfmt::{CHAIN_WIDTH, WIDTH};

impl Expression {
    /// Lays it out: `indent` is that of the line, `column` where it begins, `after` what follows it on the line.
    pub(super) fn laid_out(&self, indent: usize, column: usize, after: usize) -> String {
        let room = WIDTH.saturating_sub(column + after);
        if self.fits(room) {
            return self.flat();
        }
        let inside = " ".repeat(indent + 4);
        let outside = " ".repeat(indent);
        match self {
            Self::Plain(_) | Self::Unboxed(_) => self.flat(),
            Self::Method(..) => self.chain_laid_out(indent, column, after),
            Self::Call(function, arguments) => {
                call(function, arguments, indent, column + function.len(), after)
            }
            Self::Closure(parameter, value) => {
                let start = column + parameter.len() + 3;
                if let Self::Struct(..) = **value {
                    return format!("|{parameter}| {}", value.laid_out(indent, start, after));
                }
                let value = value.laid_out(indent + 4, indent + 4, 0);
                format!("|{parameter}| {{\n{inside}{value}\n{outside}}}")
            }
            Self::Tuple(items) => tuple(items, indent, column, after),
            Self::Struct(name, fields) => {
                let mut text = format!("{name} {{\n");
                for field in fields {
                    text.push_str(&field.laid_out(indent + 4));
                }
                text + &outside + "}"
            }
            Self::Missing(message) => {
                let text = wrapped(message, indent + 4);
                format!("compile_error!(\n{inside}{text}\n{outside})")
            }
        }
    }

    fn chain_laid_out(&self, indent: usize, column: usize, after: usize) -> String {
        let (root, calls) = self.chain();
        let fields = root.fields();
        let mut first = root.flat();
        let width: usize = fields.iter().map(|field| field.len() + 1).sum();
        first.truncate(first.len() - width);
        let steps: Vec<Step<'_>> = fields
            .into_iter()
            .map(Step::Field)
            .chain(
                calls
                    .iter()
                    .map(|(name, arguments)| Step::Call(name, arguments)),
            )
            .collect();
        let mut text = first;
        let mut steps = &steps[..];
        // A short value keeps its first step.
        let room = 4_usize.saturating_sub(column - indent);
        while text.len() <= room && steps.len() > 1 {
            text.push_str(&steps[0].flat());
            steps = &steps[1..];
        }
        let inside = " ".repeat(indent + 4);
        let Some((last, before)) = steps.split_last() else {
            return text;
        };
        // The last call may be broken where it is.
        let start: String = text.clone() + &before.iter().map(Step::flat).collect::<String>();
        let vertical_last = last.laid_out(indent + 4, after);
        let is_short = before.iter().all(|step| step.fits(CHAIN_WIDTH));
        if is_short && vertical_last.contains('\n') {
            let overflown = last.laid_out_at(indent, column + start.len(), after);
            let first_line = overflown.lines().next().unwrap_or_default().len();
            let room = WIDTH.saturating_sub(column + after);
            let is_narrow = start.len() + first_line <= room.min(CHAIN_WIDTH);
            let is_short = before.is_empty() && start.len() + first_line <= room;
            let is_shorter = overflown.lines().count() <= vertical_last.lines().count();
            if is_shorter && (is_narrow || is_short) {
                return start + &overflown;
            }
        }
        for (index, step) in steps.iter().enumerate() {
            let after = if index + 1 == steps.len() { after } else { 0 };
            text.push('\n');
            text.push_str(&inside);
            text.push_str(&step.laid_out(indent + 4, after));
        }
        text
    }
}

/// A step of a chain.
enum Step<'a> {
    Field(&'a str),
    Call(&'static str, &'a [Expression]),
}

impl Step<'_> {
    fn flat(&self) -> String {
        match self {
            Self::Field(name) => format!(".{name}"),
            Self::Call(name, arguments) => {
                let arguments: Vec<_> = arguments.iter().map(Expression::flat).collect();
                format!(".{name}({})", arguments.join(", "))
            }
        }
    }

    fn fits(&self, room: usize) -> bool {
        match self {
            Self::Field(_) => true,
            Self::Call(_, arguments) => fit(arguments, room),
        }
    }

    /// On a line of its own.
    fn laid_out(&self, indent: usize, after: usize) -> String {
        self.laid_out_at(indent, indent, after)
    }

    fn laid_out_at(&self, indent: usize, column: usize, after: usize) -> String {
        match self {
            Self::Field(_) => self.flat(),
            Self::Call(name, arguments) => {
                let room = WIDTH.saturating_sub(column + after);
                if fit(arguments, room) && self.flat().len() <= room {
                    return self.flat();
                }
                let name = format!(".{name}");
                call(&name, arguments, indent, column + name.len(), after)
            }
        }
    }
}

/// A call that does not fit on one line. `column` is where its arguments begin.
fn call(
    function: &str,
    arguments: &[Expression],
    indent: usize,
    column: usize,
    after: usize,
) -> String {
    if let [argument] = arguments {
        let is_open = match argument {
            Expression::Closure(..)
            | Expression::Call(..)
            | Expression::Struct(..)
            | Expression::Tuple(_)
            | Expression::Missing(_) => true,
            // A chain stays on the line if only its last call is broken.
            Expression::Method(..) => {
                let here = argument.laid_out(indent, column + 1, after + 1);
                let below = argument.laid_out(indent + 4, indent + 4, 1);
                let first = here.lines().next().unwrap_or_default();
                first.ends_with(['{', '(']) && below.contains('\n')
            }
            Expression::Plain(_) | Expression::Unboxed(_) => false,
        };
        if is_open {
            if let Expression::Closure(parameter, value) = argument {
                let start = column + 1 + parameter.len() + 3;
                let room = WIDTH.saturating_sub(start + 1 + after);
                if value.fits(room) {
                    return format!("{function}({})", argument.flat());
                }
            }
            return format!(
                "{function}({})",
                argument.broken(indent, column + 1, after + 1)
            );
        }
    }
    listed(function, arguments, indent)
}

impl Expression {
    /// Laid out on several lines, for it is known not to fit on one.
    fn broken(&self, indent: usize, column: usize, after: usize) -> String {
        match self {
            Self::Closure(parameter, value) if !matches!(**value, Self::Struct(..)) => {
                let (inside, outside) = (" ".repeat(indent + 4), " ".repeat(indent));
                let value = value.laid_out(indent + 4, indent + 4, 0);
                format!("|{parameter}| {{\n{inside}{value}\n{outside}}}")
            }
            Self::Tuple(items) => tuple(items, indent, column, after),
            Self::Call(function, arguments) => {
                call(function, arguments, indent, column + function.len(), after)
            }
            _ => self.laid_out(indent, column, after),
        }
    }
}

/// A tuple that does not fit on one line.
fn tuple(items: &[Expression], indent: usize, column: usize, after: usize) -> String {
    match items {
        [item] => format!("({},)", item.laid_out(indent, column + 1, after + 2)),
        items => listed("", items, indent),
    }
}

/// Arguments on a line each.
fn listed(function: &str, arguments: &[Expression], indent: usize) -> String {
    let (inside, outside) = (" ".repeat(indent + 4), " ".repeat(indent));
    let lines = arguments.iter().map(|argument| {
        let argument = argument.laid_out(indent + 4, indent + 4, 1);
        format!("{inside}{argument},\n")
    });
    format!("{function}(\n{}{outside})", lines.collect::<String>())
}

impl FieldValue {
    fn laid_out(&self, indent: usize) -> String {
        let space = " ".repeat(indent);
        let cfg: String = self
            .cfg
            .iter()
            .map(|cfg| format!("{space}{cfg}\n"))
            .collect();
        if self.is_short() {
            return format!("{cfg}{space}{},\n", self.name);
        }
        let name = format!("{}: ", self.name);
        let value = self.value.laid_out(indent, indent + name.len(), 1);
        format!("{cfg}{space}{name}{value},\n")
    }
}

/// The same on several lines, if it is long.
fn wrapped(text: &str, indent: usize) -> String {
    let text = quoted(text);
    let room = WIDTH.saturating_sub(indent + 2).max(20);
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join(&format!(" \\\n{} ", " ".repeat(indent)))
}
