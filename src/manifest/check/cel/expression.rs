/// An expression, as it is written: macros are calls.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Expression {
    Null,
    Bool,
    Int,
    Uint,
    Double,
    /// The characters of a text.
    Text(String),
    /// The length of bytes.
    Bytes(usize),
    Name(String),
    /// A field. With `?` it may be missing.
    Field {
        of: Box<Expression>,
        name: String,
        is_optional: bool,
    },
    /// A function, method or operator: operators are called as they are written.
    Call {
        target: Option<Box<Expression>>,
        name: String,
        arguments: Vec<Expression>,
    },
    List(Vec<Expression>),
    Map(Vec<(Expression, Expression)>),
    /// A message: there is none that rules can make.
    Message,
}

impl Expression {
    /// A call of an operator or function.
    pub(super) fn call(name: &str, arguments: Vec<Self>) -> Self {
        Self::Call {
            target: None,
            name: name.to_owned(),
            arguments,
        }
    }

    /// How deep it is nested.
    pub(super) fn depth(&self) -> usize {
        let deepest = |parts: &[Self]| parts.iter().map(Self::depth).max().unwrap_or(0);
        1 + match self {
            Self::Field { of, .. } => of.depth(),
            Self::Call {
                target, arguments, ..
            } => deepest(arguments).max(target.as_ref().map_or(0, |target| target.depth())),
            Self::List(items) => deepest(items),
            Self::Map(entries) => entries
                .iter()
                .map(|(key, value)| key.depth().max(value.depth()))
                .max()
                .unwrap_or(0),
            _ => 0,
        }
    }

    /// Whether an identifier is in it.
    pub(super) fn mentions(&self, identifier: &str) -> bool {
        let any = |parts: &[Self]| parts.iter().any(|part| part.mentions(identifier));
        match self {
            Self::Name(name) => name == identifier,
            Self::Field { of, .. } => of.mentions(identifier),
            Self::Call {
                target, arguments, ..
            } => any(arguments) || target.as_ref().is_some_and(|it| it.mentions(identifier)),
            Self::List(items) => any(items),
            Self::Map(entries) => entries
                .iter()
                .any(|(key, value)| key.mentions(identifier) || value.mentions(identifier)),
            _ => false,
        }
    }
}
