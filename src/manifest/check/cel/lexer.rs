//! The words of CEL.

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Name(String),
    /// A name in backticks.
    Quoted(String),
    Int,
    Uint,
    Double,
    Text(String),
    Bytes(usize),
    Sign(&'static str),
    End,
}

/// Longer ones first.
const SIGNS: [&str; 24] = [
    "==", "!=", "<=", ">=", "&&", "||", "(", ")", "[", "]", "{", "}", ".", ",", "?", ":", "!", "<",
    ">", "+", "-", "*", "/", "%",
];

/// Cuts an expression into words.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut tokens = Vec::new();
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']);
        if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
            continue;
        }
        if rest.is_empty() {
            tokens.push(Token::End);
            return Ok(tokens);
        }
        let (token, length) = token(rest)?;
        tokens.push(token);
        rest = &rest[length..];
    }
}

fn token(rest: &str) -> Result<(Token, usize), String> {
    let first = rest.chars().next().unwrap_or_default();
    let second = rest[first.len_utf8()..].chars().next();
    if first.is_ascii_digit() || (first == '.' && second.is_some_and(|it| it.is_ascii_digit())) {
        return number(rest);
    }
    if let Some(found) = text(rest)? {
        return Ok(found);
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let end = rest
            .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
            .unwrap_or(rest.len());
        return Ok((Token::Name(rest[..end].to_owned()), end));
    }
    if let Some(quoted) = rest.strip_prefix('`') {
        let end = quoted.find('`').ok_or("unterminated backtick")?;
        return Ok((Token::Quoted(quoted[..end].to_owned()), end + 2));
    }
    let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
    match sign {
        Some(sign) => Ok((Token::Sign(sign), sign.len())),
        None => Err(format!("unexpected `{first}`")),
    }
}

fn number(rest: &str) -> Result<(Token, usize), String> {
    if let Some(digits) = rest.strip_prefix("0x") {
        let end = end_of(digits, |byte| byte.is_ascii_hexdigit());
        let value = u64::from_str_radix(&digits[..end], 16);
        return integer(&rest[2..], end, value.map_err(|_| ())).map(|(it, end)| (it, end + 2));
    }
    let digit = |byte: u8| byte.is_ascii_digit();
    let whole = end_of(rest, digit);
    let mut end = whole;
    if let Some(fraction) = rest[end..].strip_prefix('.') {
        let digits = end_of(fraction, digit);
        if digits > 0 {
            end += 1 + digits;
        }
    }
    if let Some(exponent) = rest[end..].strip_prefix(['e', 'E']) {
        let sign = usize::from(exponent.starts_with(['+', '-']));
        let digits = end_of(&exponent[sign..], digit);
        if digits > 0 {
            end += 1 + sign + digits;
        }
    }
    if end > whole {
        return Ok((Token::Double, end));
    }
    integer(rest, whole, rest[..whole].parse().map_err(|_| ()))
}

fn integer(rest: &str, end: usize, value: Result<u64, ()>) -> Result<(Token, usize), String> {
    let too_large = || format!("the number `{}` is too large", &rest[..end]);
    let value = value.map_err(|()| too_large())?;
    if rest[end..].starts_with(['u', 'U']) {
        return Ok((Token::Uint, end + 1));
    }
    // With a minus before it, one more is an integer.
    (value <= 1 << 63)
        .then_some((Token::Int, end))
        .ok_or_else(too_large)
}

fn end_of(text: &str, is_part: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| is_part(*byte)).count()
}

/// A text or bytes: `'a'`, `"""a"""`, `r'\d'`, `b'a'`.
fn text(rest: &str) -> Result<Option<(Token, usize)>, String> {
    let prefix = end_of(rest, |byte| b"rRbB".contains(&byte));
    let quoted = &rest[prefix..];
    let quote = ["\"\"\"", "'''", "\"", "'"]
        .into_iter()
        .find(|quote| quoted.starts_with(quote));
    let Some(quote) = quote.filter(|_| prefix <= 2) else {
        return Ok(None);
    };
    let letters = rest[..prefix].to_ascii_lowercase();
    let (is_raw, is_bytes) = (letters.contains('r'), letters.contains('b'));
    let body = &quoted[quote.len()..];
    let (content, length) = content(body, quote, is_raw)?;
    let token = if is_bytes {
        Token::Bytes(content.len())
    } else {
        Token::Text(content)
    };
    Ok(Some((token, prefix + quote.len() + length)))
}

/// The content of a text, and its length with the closing quotes.
fn content(body: &str, quote: &str, is_raw: bool) -> Result<(String, usize), String> {
    let mut content = String::new();
    let mut at = 0;
    while let Some(letter) = body[at..].chars().next() {
        if body[at..].starts_with(quote) {
            return Ok((content, at + quote.len()));
        }
        if quote.len() == 1 && ['\n', '\r'].contains(&letter) {
            break;
        }
        at += letter.len_utf8();
        if letter != '\\' || is_raw {
            content.push(letter);
            // A raw backslash keeps the quote after it, too.
            continue;
        }
        let (value, length) = escape(&body[at..])?;
        content.push(value);
        at += length;
    }
    Err("unterminated string".to_owned())
}

/// What follows a backslash, and its length.
fn escape(rest: &str) -> Result<(char, usize), String> {
    let letter = rest.chars().next().ok_or("unterminated string")?;
    let digits = match letter {
        'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '\\' | '?' | '"' | '\'' | '`' => {
            return Ok((letter, 1));
        }
        'x' | 'X' => 2,
        'u' => 4,
        'U' => 8,
        '0'..='3' => 3,
        _ => {
            return Err(format!("invalid escape `\\{letter}`: write `\\\\{letter}`"));
        }
    };
    let start = usize::from(!letter.is_ascii_digit());
    let is_digit = |byte: u8| {
        if start == 0 {
            (b'0'..=b'7').contains(&byte)
        } else {
            byte.is_ascii_hexdigit()
        }
    };
    let end = start + digits;
    match rest
        .get(start..end)
        .filter(|digits| digits.bytes().all(is_digit))
    {
        // Which character it is does not matter here.
        Some(_) => Ok(('x', end)),
        None => Err(format!("`\\{letter}` lacks its digits")),
    }
}
