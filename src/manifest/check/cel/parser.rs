//! The grammar of CEL.

use super::expression::Expression;
use super::lexer::{Token, tokens};

/// Words that no variable can be called.
pub(super) const RESERVED: [&str; 17] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "for",
    "function",
    "if",
    "import",
    "let",
    "loop",
    "package",
    "namespace",
    "return",
    "var",
    "void",
    "while",
];

/// How deep parentheses and the like may be nested, for them to be judged here: each takes its part of the stack.
const NESTED: usize = 50;

/// How deep an expression may be nested with its chains.
const DEPTH: usize = 150;

/// How many words an expression may have.
const WORDS: usize = 4000;

/// Operators of two sides, by how strongly they bind.
const LEVELS: [&[&str]; 5] = [
    &["||"],
    &["&&"],
    &["<", "<=", ">", ">=", "==", "!=", "in"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// Why there is no expression.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParseFault {
    /// It is none.
    Syntax(String),
    /// It is nested too deeply to say.
    Depth,
}

impl From<String> for ParseFault {
    fn from(message: String) -> Self {
        Self::Syntax(message)
    }
}

/// Reads an expression.
pub(super) fn parse(text: &str) -> Result<Expression, ParseFault> {
    let tokens = tokens(text)?;
    if tokens.len() > WORDS {
        return Err(ParseFault::Depth);
    }
    let mut parser = Parser {
        tokens,
        at: 0,
        depth: 0,
    };
    let expression = parser.expression()?;
    if expression.depth() > DEPTH {
        return Err(ParseFault::Depth);
    }
    match parser.next() {
        Token::End => Ok(expression),
        other => Err(unexpected(&other)),
    }
}

struct Parser {
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&Token::End)
    }

    fn next(&mut self) -> Token {
        let token = self.peek().clone();
        self.at += 1;
        token
    }

    /// Takes a sign, if it is next.
    fn take(&mut self, sign: &str) -> bool {
        let is_next = matches!(self.peek(), Token::Sign(next) if *next == sign);
        self.at += usize::from(is_next);
        is_next
    }

    fn want(&mut self, sign: &str) -> Result<(), ParseFault> {
        if self.take(sign) {
            return Ok(());
        }
        Err(ParseFault::Syntax(format!(
            "`{sign}` is missing before {}",
            shown(self.peek())
        )))
    }

    fn expression(&mut self) -> Result<Expression, ParseFault> {
        self.depth += 1;
        if self.depth > NESTED {
            return Err(ParseFault::Depth);
        }
        let condition = self.binary(0)?;
        let expression = if self.take("?") {
            let yes = self.binary(0)?;
            self.want(":")?;
            let no = self.expression()?;
            Expression::call("?:", vec![condition, yes, no])
        } else {
            condition
        };
        self.depth -= 1;
        Ok(expression)
    }

    fn binary(&mut self, level: usize) -> Result<Expression, ParseFault> {
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        let mut left = self.binary(level + 1)?;
        loop {
            let operator = match self.peek() {
                Token::Sign(sign) if operators.contains(sign) => (*sign).to_owned(),
                Token::Name(name) if operators.contains(&name.as_str()) => name.clone(),
                _ => return Ok(left),
            };
            self.at += 1;
            let right = self.binary(level + 1)?;
            left = Expression::call(&operator, vec![left, right]);
        }
    }

    fn unary(&mut self) -> Result<Expression, ParseFault> {
        for (sign, name) in [("!", "!"), ("-", "-x")] {
            let mut count = 0;
            while self.take(sign) {
                count += 1;
            }
            if count > 0 {
                let operand = self.member()?;
                let is_number = matches!(operand, Expression::Int | Expression::Double);
                return Ok(match count {
                    // A literal.
                    1 if is_number && sign == "-" => operand,
                    _ => Expression::call(name, vec![operand]),
                });
            }
        }
        self.member()
    }

    fn member(&mut self) -> Result<Expression, ParseFault> {
        let mut expression = self.primary()?;
        loop {
            if self.take(".") {
                let is_optional = self.take("?");
                let name = match self.next() {
                    Token::Name(name)
                        if !["in", "true", "false", "null"].contains(&name.as_str()) =>
                    {
                        name
                    }
                    Token::Quoted(name) => name,
                    other => return Err(unexpected(&other)),
                };
                expression = if !is_optional && self.take("(") {
                    Expression::Call {
                        target: Some(Box::new(expression)),
                        name,
                        arguments: self.list(")")?,
                    }
                } else {
                    Expression::Field {
                        of: Box::new(expression),
                        name,
                        is_optional,
                    }
                };
            } else if self.take("[") {
                let name = if self.take("?") { "[?]" } else { "[]" };
                let index = self.expression()?;
                self.want("]")?;
                expression = Expression::call(name, vec![expression, index]);
            } else if matches!(expression, Expression::Name(_) | Expression::Field { .. })
                && self.take("{")
            {
                self.entries(true)?;
                expression = Expression::Message;
            } else {
                return Ok(expression);
            }
        }
    }

    fn primary(&mut self) -> Result<Expression, ParseFault> {
        let is_global = self.take(".");
        match self.next() {
            Token::Int => Ok(Expression::Int),
            Token::Uint => Ok(Expression::Uint),
            Token::Double => Ok(Expression::Double),
            Token::Text(text) => Ok(Expression::Text(text)),
            Token::Bytes(length) => Ok(Expression::Bytes(length)),
            Token::Sign("(") if !is_global => {
                let expression = self.expression()?;
                self.want(")")?;
                Ok(expression)
            }
            Token::Sign("[") if !is_global => Ok(Expression::List(self.list("]")?)),
            Token::Sign("{") if !is_global => Ok(Expression::Map(self.entries(false)?)),
            Token::Name(name) => self.name(name),
            other => Err(unexpected(&other)),
        }
    }

    fn name(&mut self, name: String) -> Result<Expression, ParseFault> {
        match name.as_str() {
            "true" | "false" => return Ok(Expression::Bool),
            "null" => return Ok(Expression::Null),
            "in" => return Err(unexpected(&Token::Name(name))),
            reserved if RESERVED.contains(&reserved) => {
                return Err(ParseFault::Syntax(format!("`{name}` is a reserved word")));
            }
            _ => {}
        }
        if self.take("(") {
            let arguments = self.list(")")?;
            return Ok(Expression::call(&name, arguments));
        }
        Ok(Expression::Name(name))
    }

    /// Expressions up to a sign. One more comma may be at the end of a list.
    fn list(&mut self, end: &str) -> Result<Vec<Expression>, ParseFault> {
        let mut items = Vec::new();
        if self.take(end) {
            return Ok(items);
        }
        loop {
            if end == "]" {
                self.take("?");
            }
            items.push(self.expression()?);
            if !self.take(",") {
                break;
            }
            if end == "]" && self.take(end) {
                return Ok(items);
            }
        }
        self.want(end)?;
        Ok(items)
    }

    /// The entries of a map, or of a message, up to the closing brace.
    fn entries(&mut self, is_message: bool) -> Result<Vec<(Expression, Expression)>, ParseFault> {
        let mut entries = Vec::new();
        while !self.take("}") {
            self.take("?");
            let key = if is_message {
                match self.next() {
                    Token::Name(name) | Token::Quoted(name) => Expression::Text(name),
                    other => return Err(unexpected(&other)),
                }
            } else {
                self.expression()?
            };
            self.want(":")?;
            let value = self.expression()?;
            entries.push((key, value));
            if !self.take(",") {
                self.want("}")?;
                break;
            }
        }
        Ok(entries)
    }
}

fn unexpected(token: &Token) -> ParseFault {
    ParseFault::Syntax(match token {
        Token::End => "unexpected end".to_owned(),
        token => format!("unexpected {}", shown(token)),
    })
}

fn shown(token: &Token) -> String {
    match token {
        Token::Name(name) | Token::Quoted(name) => format!("`{name}`"),
        Token::Sign(sign) => format!("`{sign}`"),
        Token::Text(text) => format!("the text `{text}`"),
        Token::Int | Token::Uint | Token::Double => "a number".to_owned(),
        Token::Bytes(_) => "bytes".to_owned(),
        Token::End => "its end".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grammar() {
        for text in [
            "self.a == 'b' && !has(self.c) || self.d[0] > -1",
            "self.?a.orValue('') != \"\" ? [1, 2,] == [?self.b, 1] : {'a': 1, ?'b': 2,} == {}",
            "r'\\d' + b'a' + rb\"x\" + '''it's''' + \"\"\"a\nb\"\"\" == '\\x41\\u00e9\\101\\''",
            "0x1F + 1u + 1.5e-3 + .5 + 1e9 - 9223372036854775807 // a comment",
            "a.`b-c`.d(1)(2) == 1".trim_end_matches("(2) == 1"),
            "!!x && --y < - -3 == false",
            "self.all(x, x in ['a'])",
            ".a.b{c: 1}",
            "google.protobuf.Duration{seconds: 1} != null",
        ] {
            assert!(parse(text).is_ok(), "{text}: {:?}", parse(text));
        }
        for (text, expected) in [
            ("", "unexpected end"),
            ("has(self.a", "`)` is missing"),
            ("self.a ==", "unexpected end"),
            ("self.a = 1", "unexpected `=`"),
            ("self.a & self.b", "unexpected `&`"),
            ("'a", "unterminated string"),
            ("'\\d'", "invalid escape"),
            ("if (a) b", "reserved"),
            ("self.in", "`in`"),
            ("a b", "`b`"),
            ("[1, 2", "`]` is missing"),
            ("f(1,)", "`)`"),
            ("99999999999999999999", "too large"),
            ("a ? b", "`:` is missing"),
        ] {
            let Err(ParseFault::Syntax(fault)) = parse(text) else {
                panic!("{text}");
            };
            assert!(fault.contains(expected), "{text}: {fault}");
        }
        for deep in [
            "(".repeat(3000),
            format!("a{}", ".b".repeat(1900)),
            format!("a{}", " && a".repeat(1900)),
            "a ".repeat(5000),
        ] {
            assert_eq!(parse(&deep), Err(ParseFault::Depth));
        }
        assert_eq!(
            parse(&"!".repeat(3000)),
            Err(ParseFault::Syntax("unexpected end".into()))
        );
    }
}
