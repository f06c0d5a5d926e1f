//! The grammar of a marker's arguments, as controller-gen reads it (`pkg/markers/parse.go` of
//! `sigs.k8s.io/controller-tools`): `key=value,key=value`, where a value is a list `a;b` or
//! `{a,b}` of bare or quoted words.

use super::diagnostic::Diagnostic;

/// A key and its values.
pub(in crate::manifest) type Argument<'a> = (&'a str, Vec<&'a str>);

/// Reads the arguments of a marker, in their order.
///
/// # Errors
/// They are not of that form.
pub(in crate::manifest) fn parse(text: &str) -> Result<Vec<Argument<'_>>, Diagnostic> {
    let mut rest = text;
    let mut arguments: Vec<Argument> = Vec::new();
    loop {
        let end = rest.find(['=', ',', ';']).unwrap_or(rest.len());
        let key = rest[..end].trim();
        let Some(value) = rest[end..].strip_prefix('=') else {
            // A single word can be a key without a value, or no key at all: only the caller knows the keys.
            if arguments.is_empty() && end == rest.len() && !key.is_empty() {
                return Ok(vec![(key, Vec::new())]);
            }
            return Err(no_value(key, arguments.last()));
        };
        let (values, after) =
            list(value.trim_start()).map_err(|diagnostic| match diagnostic.hint {
                None => diagnostic.hint(format!("write `{key}=a;b`")),
                Some(_) => diagnostic,
            })?;
        arguments.push((key, values));
        if after.is_empty() {
            return Ok(arguments);
        }
        rest = after
            .strip_prefix(',')
            .ok_or_else(|| unexpected(after, arguments.last()))?;
    }
}

/// A list and what follows it.
fn list(text: &str) -> Result<(Vec<&str>, &str), Diagnostic> {
    let (mut rest, separator, braces) = match text.strip_prefix('{') {
        Some(inner) => (inner.trim_start(), ',', true),
        None => (text, ';', false),
    };
    let mut values = Vec::new();
    loop {
        if braces && let Some(after) = rest.strip_prefix('}') {
            return Ok((values, after.trim_start()));
        }
        if !braces && (rest.is_empty() || rest.starts_with(',')) {
            return Ok((values, rest));
        }
        let (value, after) = word(rest)?;
        values.push(value);
        rest = match after.strip_prefix(separator) {
            Some(after) => after.trim_start(),
            None if braces && after.starts_with('}') => after,
            None if braces => return Err(unclosed(after)),
            None => return Ok((values, after)),
        };
    }
}

/// A word and what follows it and the spaces behind it.
pub(super) fn word(text: &str) -> Result<(&str, &str), Diagnostic> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '`'));
    let (word, rest) = if let Some(quote) = quote {
        text[1..]
            .split_once(quote)
            .ok_or_else(|| Diagnostic::new(format!("the quote in `{text}` is not closed")))?
    } else {
        let stop = |c: char| c.is_whitespace() || matches!(c, ',' | ';' | '{' | '}' | '"' | '`');
        text.split_at(text.find(stop).unwrap_or(text.len()))
    };
    if word.contains('\'') {
        return Err(Diagnostic::new(format!("unexpected `'` in `{word}`")).hint("quote with `\"`"));
    }
    if word.is_empty() && quote.is_none() {
        return Err(Diagnostic::new(match rest {
            "" => "a value is missing at the end".to_owned(),
            rest => format!("a value is missing before `{rest}`"),
        }));
    }
    Ok((word, rest.trim_start()))
}

fn no_value(key: &str, last: Option<&Argument>) -> Diagnostic {
    match last {
        _ if key.is_empty() => Diagnostic::new("a key is missing")
            .hint("write `key=value`, separated by single commas"),
        Some((key_before, _)) => Diagnostic::new(format!("`{key}` has no value")).hint(format!(
            "a comma starts the next key: separate values by `;`, as in `{key_before}=…;{key}`"
        )),
        None => Diagnostic::new(format!("`{key}` has no value")).hint(format!("write `{key}=…`")),
    }
}

fn unexpected(rest: &str, last: Option<&Argument>) -> Diagnostic {
    let key = last.map_or("", |(key, _)| key);
    Diagnostic::new(format!("unexpected `{rest}` after the values of `{key}`"))
        .hint("separate values by `;` and keys by `,`, with nothing after them")
}

fn unclosed(rest: &str) -> Diagnostic {
    let message = if rest.is_empty() {
        "a `{` is not closed".to_owned()
    } else {
        format!("unexpected `{rest}` between braces")
    };
    Diagnostic::new(message).hint("write `{a,b}`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<&str> {
        let parsed = parse(text).expect(text);
        let [(_, values)] = &parsed[..] else {
            panic!("{text}: {parsed:?}");
        };
        values.clone()
    }

    #[test]
    fn keys_have_lists_of_values() {
        assert_eq!(
            parse(r#"groups="",resources=pods;pods/log,verbs=get"#),
            Ok(vec![
                ("groups", vec![""]),
                ("resources", vec!["pods", "pods/log"]),
                ("verbs", vec!["get"]),
            ])
        );
        assert_eq!(
            parse("a = b , c={d , e},f=g"),
            Ok(vec![
                ("a", vec!["b"]),
                ("c", vec!["d", "e"]),
                ("f", vec!["g"])
            ])
        );
    }

    #[test]
    fn a_list_has_every_form_of_controller_gen() {
        for text in [
            "k=a;b",
            "k=a;b;",
            "k= a ; b",
            "k={a,b}",
            "k={ a, b, }",
            r#"k="a";"b""#,
            r#"k={"a","b"}"#,
            "k=`a`;b",
        ] {
            assert_eq!(values(text), ["a", "b"], "{text}");
        }
        assert_eq!(values("k=*"), ["*"]);
        assert_eq!(values("k=/a/*;*/b"), ["/a/*", "*/b"]);
        assert_eq!(values(r#"k="a;b, c""#), ["a;b, c"]);
        assert_eq!(values(r#"k="";a"#), ["", "a"]);
        assert!(values("k=").is_empty() && values("k={}").is_empty());
    }

    #[test]
    fn what_is_not_of_the_form_is_refused() {
        for (text, message) in [
            ("", "a key is missing"),
            ("a=b,", "a key is missing"),
            ("a=b,,c=d", "a key is missing"),
            ("a,b", "`a` has no value"),
            ("verbs=get,list", "`list` has no value"),
            ("a=b c", "unexpected `c` after the values of `a`"),
            ("a=b // why", "unexpected `// why` after the values of `a`"),
            ("a={b}c", "unexpected `c` after the values of `a`"),
            ("a=b}", "unexpected `}` after the values of `a`"),
            ("a=b;;c", "a value is missing before `;c`"),
            ("a={", "a value is missing at the end"),
            ("a=;b", "a value is missing before `;b`"),
            ("a={b,,c}", "a value is missing before `,c}`"),
            ("a={b", "a `{` is not closed"),
            ("a={b;c}", "unexpected `;c}` between braces"),
            ("a=\"b", "the quote in `\"b` is not closed"),
            ("a='b'", "unexpected `'` in `'b'`"),
        ] {
            let diagnostic = parse(text).expect_err(text);
            assert_eq!(diagnostic.message, message, "{text}");
            assert!(diagnostic.hint.is_some(), "{text}");
        }
    }

    #[test]
    fn a_comma_between_values_is_explained() {
        let diagnostic = parse("verbs=get,list").expect_err("no value");
        assert_eq!(
            diagnostic.hint.as_deref(),
            Some("a comma starts the next key: separate values by `;`, as in `verbs=…;list`")
        );
    }
}
