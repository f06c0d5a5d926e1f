//! Types as they are meant, whatever they are called where they are used.

use std::fmt::{Display, Formatter, Result as FmtResult};

use super::module::Path;

/// A type, or what a type is applied to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ty {
    /// One of the API crate.
    Own(Path, Vec<Ty>),
    /// One of another crate, or of the language.
    Outer(String, Vec<Ty>),
    Array(Box<Ty>, String),
    Tuple(Vec<Ty>),
    Reference(String, Box<Ty>),
    /// A constant or a lifetime that a type is applied to.
    Value(String),
    /// One that is not understood: how it is written, and why.
    Unknown(String, String),
}

impl Ty {
    /// A type of another crate, with what it is applied to.
    pub(super) fn outer(&self) -> Option<(&str, &[Self])> {
        match self {
            Self::Outer(name, arguments) => Some((name, arguments)),
            _ => None,
        }
    }

    /// Why it is not understood, if a part of it is not.
    pub(super) fn unknown(&self) -> Option<&str> {
        match self {
            Self::Own(_, arguments) | Self::Outer(_, arguments) | Self::Tuple(arguments) => {
                arguments.iter().find_map(Self::unknown)
            }
            Self::Array(item, _) | Self::Reference(_, item) => item.unknown(),
            Self::Value(_) => None,
            Self::Unknown(_, why) => Some(why),
        }
    }

    /// How deep it is nested.
    pub(super) fn depth(&self) -> usize {
        1 + match self {
            Self::Own(_, inner) | Self::Outer(_, inner) | Self::Tuple(inner) => {
                inner.iter().map(Self::depth).max().unwrap_or_default()
            }
            Self::Array(inner, _) | Self::Reference(_, inner) => inner.depth(),
            Self::Value(_) | Self::Unknown(..) => 0,
        }
    }
}

/// As messages have it: without paths.
impl Display for Ty {
    fn fmt(&self, f: &mut Formatter<'_>) -> FmtResult {
        let list = |types: &[Self]| {
            let types: Vec<_> = types.iter().map(ToString::to_string).collect();
            types.join(", ")
        };
        match self {
            Self::Own(path, arguments) => {
                let name = path.last().map_or("", String::as_str);
                if arguments.is_empty() {
                    f.write_str(name)
                } else {
                    write!(f, "{name}<{}>", list(arguments))
                }
            }
            Self::Outer(path, arguments) => {
                let name = path.rsplit("::").next().unwrap_or(path);
                if arguments.is_empty() {
                    f.write_str(name)
                } else {
                    write!(f, "{name}<{}>", list(arguments))
                }
            }
            Self::Array(item, length) => write!(f, "[{item}; {length}]"),
            Self::Tuple(items) => match &items[..] {
                [item] => write!(f, "({item},)"),
                items => write!(f, "({})", list(items)),
            },
            Self::Reference(lifetime, item) => write!(f, "&{lifetime}{item}"),
            Self::Value(text) | Self::Unknown(text, _) => f.write_str(text),
        }
    }
}
