//! Expressions, laid out as rustfmt does it.

use crate::rustfmt::{CALL_WIDTH, CHAIN_WIDTH, STRUCT_WIDTH};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Expression {
    /// A name, a path or a field.
    Plain(String),
    /// What is in a box.
    Unboxed(String),
    /// A method of a value, with its arguments.
    Method(Box<Expression>, &'static str, Vec<Expression>),
    Call(String, Vec<Expression>),
    /// A closure: its parameter and what it gives.
    Closure(&'static str, Box<Expression>),
    Tuple(Vec<Expression>),
    Struct(String, Vec<FieldValue>),
    /// What the user has to write. It does not compile.
    Missing(String),
}

/// A field of a struct with the value that it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FieldValue {
    pub(super) cfg: Vec<String>,
    /// Its name as Rust writes it.
    pub(super) name: String,
    pub(super) value: Expression,
}

impl Expression {
    /// A part of a value.
    pub(super) fn field(self, name: &str) -> Self {
        Self::Plain(format!("{}.{name}", self.held().flat()))
    }

    /// What is in a box.
    pub(super) fn unboxed(self) -> Self {
        Self::Unboxed(format!("*{}", self.flat()))
    }

    pub(super) fn method(self, name: &'static str, arguments: Vec<Self>) -> Self {
        Self::Method(Box::new(self.held()), name, arguments)
    }

    /// As something that a field or a method follows.
    fn held(self) -> Self {
        match self {
            Self::Unboxed(text) => Self::Plain(format!("({text})")),
            other => other,
        }
    }

    /// A function that makes this of its parameter.
    pub(super) fn function(self, parameter: &'static str) -> Self {
        let is_parameter = |value: &Self| *value == Self::Plain(parameter.to_owned());
        match &self {
            Self::Method(value, "into", _) if is_parameter(value) => {
                Self::Plain("Into::into".to_owned())
            }
            Self::Call(function, arguments) if matches!(&arguments[..], [argument] if is_parameter(argument)) => {
                Self::Plain(function.clone())
            }
            _ => Self::Closure(parameter, Box::new(self)),
        }
    }

    /// What does not compile in it, if anything.
    pub(super) fn is_missing(&self) -> bool {
        matches!(self, Self::Missing(_))
    }

    /// All of it on one line, however long.
    pub(super) fn flat(&self) -> String {
        let list = |values: &[Self]| {
            let values: Vec<_> = values.iter().map(Self::flat).collect();
            values.join(", ")
        };
        match self {
            Self::Plain(text) | Self::Unboxed(text) => text.clone(),
            Self::Method(value, name, arguments) => {
                format!("{}.{name}({})", value.flat(), list(arguments))
            }
            Self::Call(function, arguments) => format!("{function}({})", list(arguments)),
            Self::Closure(parameter, value) => format!("|{parameter}| {}", value.flat()),
            Self::Tuple(items) => match &items[..] {
                [item] => format!("({},)", item.flat()),
                items => format!("({})", list(items)),
            },
            Self::Struct(name, fields) if fields.is_empty() => format!("{name} {{}}"),
            Self::Struct(name, fields) => {
                let fields: Vec<_> = fields.iter().map(FieldValue::flat).collect();
                format!("{name} {{ {} }}", fields.join(", "))
            }
            Self::Missing(message) => format!("compile_error!({})", quoted(message)),
        }
    }

    /// Whether rustfmt leaves it on one line that has so much room.
    pub(super) fn fits(&self, room: usize) -> bool {
        let inner = match self {
            Self::Plain(_) | Self::Unboxed(_) | Self::Missing(_) => true,
            Self::Method(..) => {
                let (root, calls) = self.chain();
                let is_short = calls.len() + root.fields().len() == 1;
                let width = if is_short { room } else { CHAIN_WIDTH };
                self.flat().len() <= width
                    && root.fits(room)
                    && calls.iter().all(|(_, arguments)| fit(arguments, room))
            }
            Self::Call(_, arguments) => fit(arguments, room),
            Self::Closure(_, value) => value.fits(room),
            Self::Tuple(items) => fit(items, room),
            Self::Struct(_, fields) => {
                let width: usize = fields.iter().map(|field| field.flat().len() + 2).sum();
                width <= STRUCT_WIDTH + 2
                    && fields
                        .iter()
                        .all(|field| field.cfg.is_empty() && field.value.fits(room))
            }
        };
        inner && self.flat().len() <= room
    }

    /// The value that methods are called on, with the methods. The fields of a value are such a step each.
    pub(super) fn chain(&self) -> (&Self, Vec<(&'static str, &[Self])>) {
        let (mut value, mut calls) = (self, Vec::new());
        while let Self::Method(inner, name, arguments) = value {
            calls.push((*name, &arguments[..]));
            value = inner;
        }
        calls.reverse();
        (value, calls)
    }

    /// The fields of a value: each is a step of the chain, too.
    pub(super) fn fields(&self) -> Vec<&str> {
        let Self::Plain(text) = self else {
            return Vec::new();
        };
        let mut depth = 0;
        let is_end = |c: char| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            depth == 0 && c == '.'
        };
        text.split(is_end).skip(1).collect()
    }
}

/// Whether arguments fit on one line.
pub(super) fn fit(arguments: &[Expression], room: usize) -> bool {
    let width: usize = arguments
        .iter()
        .map(|argument| argument.flat().len() + 2)
        .sum();
    // One argument may be as wide as the line, but for calls in calls.
    let is_alone = matches!(arguments, [argument] if !matches!(argument, Expression::Call(..)));
    (is_alone || width <= CALL_WIDTH + 2) && arguments.iter().all(|argument| argument.fits(room))
}

impl FieldValue {
    /// Whether the value is a variable of the field's name.
    pub(super) fn is_short(&self) -> bool {
        self.value == Expression::Plain(self.name.clone())
    }

    fn flat(&self) -> String {
        if self.is_short() {
            self.name.clone()
        } else {
            format!("{}: {}", self.name, self.value.flat())
        }
    }
}

/// A text as Rust writes it.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
