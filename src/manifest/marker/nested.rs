//! The grammar of arguments whose values are lists of lists: `key=value,key={{a,b},{c,d}}`.

use super::diagnostic::Diagnostic;
use super::syntax::word;

/// How deep lists are nested.
const DEPTH: usize = 2;

/// A value: a word, or a list in braces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::manifest) enum Value<'a> {
    Word(&'a str),
    List(Vec<Value<'a>>),
}

/// Reads the arguments of a marker, in their order.
///
/// # Errors
/// They are not of that form.
pub(in crate::manifest) fn parse(text: &str) -> Result<Vec<(&str, Value<'_>)>, Diagnostic> {
    let mut rest = text.trim();
    let mut arguments = Vec::new();
    loop {
        let (key, value) = rest.split_once('=').ok_or_else(|| {
            Diagnostic::new(format!("`{rest}` is not `key=value`"))
                .hint("separate keys by commas, and quote values: `displayName=\"Name\"`")
        })?;
        let (value, after) =
            read(value.trim_start(), 0).map_err(|diagnostic| match diagnostic.hint {
                None => diagnostic.hint(format!("write `{}=\"…\"`", key.trim())),
                Some(_) => diagnostic,
            })?;
        arguments.push((key.trim(), value));
        if after.is_empty() {
            return Ok(arguments);
        }
        rest = after.strip_prefix(',').ok_or_else(|| {
            Diagnostic::new(format!("unexpected `{after}`"))
                .hint("separate keys by commas, and quote values that have blanks")
        })?;
    }
}

/// A value and what follows it.
fn read(text: &str, depth: usize) -> Result<(Value<'_>, &str), Diagnostic> {
    let Some(inner) = text.strip_prefix('{') else {
        let (value, mut rest) = word(text)?;
        let mut items = vec![Value::Word(value)];
        // As controller-gen has it, `a;b` is a list too.
        while let Some(after) = rest.strip_prefix(';').filter(|_| depth == 0) {
            let (value, after) = word(after.trim_start())?;
            items.push(Value::Word(value));
            rest = after;
        }
        return match items.pop() {
            Some(only) if items.is_empty() => Ok((only, rest)),
            last => {
                items.extend(last);
                Ok((Value::List(items), rest))
            }
        };
    };
    if depth == DEPTH {
        return Err(Diagnostic::new("too many braces").hint("write `{{Kind,version,name}}`"));
    }
    let mut rest = inner.trim_start();
    let mut items = Vec::new();
    loop {
        if let Some(after) = rest.strip_prefix('}') {
            return Ok((Value::List(items), after.trim_start()));
        }
        let (item, after) = read(rest, depth + 1)?;
        items.push(item);
        rest = match after.strip_prefix(',') {
            Some(after) => after.trim_start(),
            None if after.starts_with('}') => after,
            None => {
                return Err(Diagnostic::new("a `{` is not closed").hint("write `{a,b}`"));
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_words_and_lists() {
        use Value::{List, Word};
        let list = |words: &[&'static str]| List(words.iter().map(|it| Word(it)).collect());
        assert_eq!(
            parse(r#"displayName="A, b", order=1,resources={{Pod,v1,""}, {Secret,v1}},x={}"#),
            Ok(vec![
                ("displayName", Word("A, b")),
                ("order", Word("1")),
                (
                    "resources",
                    List(vec![list(&["Pod", "v1", ""]), list(&["Secret", "v1"])])
                ),
                ("x", list(&[])),
            ])
        );
        assert_eq!(
            parse(r#"x="a" ; "b",y=c"#),
            Ok(vec![("x", list(&["a", "b"])), ("y", Word("c"))])
        );
        for wrong in [
            "",
            "a",
            "a=",
            "a=b c",
            "a={b",
            "a={{{b}}}",
            "a=\"b",
            "a=b,",
            "a={b}}",
        ] {
            let diagnostic = parse(wrong).expect_err(wrong);
            assert!(!diagnostic.message.is_empty(), "{wrong}");
        }
    }
}
