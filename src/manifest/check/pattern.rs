//! Regular expressions as Go's `regexp` reads them.

use std::iter::Peekable;
use std::str::Chars;

/// The most that a part can be repeated, in all repetitions around it.
const MAX_REPEAT: u32 = 1000;

/// Classes such as `[:alpha:]`.
const CLASSES: [&str; 14] = [
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];

/// Checks that Go compiles a pattern, and says why it would not.
pub(super) fn check(pattern: &str) -> Result<(), String> {
    let mut parser = Parser {
        rest: pattern.chars().peekable(),
        groups: vec![Group::default()],
    };
    while let Some(letter) = parser.rest.next() {
        parser.take(letter)?;
    }
    match parser.groups.len() {
        1 => Ok(()),
        _ => Err("has a `(` that is not closed".to_owned()),
    }
}

/// What was read of a group, or of the whole.
#[derive(Default)]
struct Group {
    /// How often the part before this place is repeated, if there is one.
    part: Option<u32>,
    /// Whether it ends in an operator.
    is_repeated: bool,
    /// The most that any part in it is repeated.
    most: u32,
}

struct Parser<'a> {
    rest: Peekable<Chars<'a>>,
    groups: Vec<Group>,
}

impl Parser<'_> {
    fn take(&mut self, letter: char) -> Result<(), String> {
        match letter {
            '(' => self.open()?,
            ')' => self.close()?,
            '|' => {
                let group = self.group();
                group.part = None;
                group.is_repeated = false;
            }
            '*' | '+' | '?' => self.repeat(1)?,
            '{' => match self.counts() {
                Some((least, most)) => self.repeat_counted(least, most)?,
                None => self.part(1),
            },
            '[' => {
                self.class()?;
                self.part(1);
            }
            '\\' => {
                self.escape(false)?;
                self.part(1);
            }
            _ => self.part(1),
        }
        Ok(())
    }

    fn group(&mut self) -> &mut Group {
        let last = self.groups.len() - 1;
        &mut self.groups[last]
    }

    /// Adds a part.
    fn part(&mut self, repeated: u32) {
        let group = self.group();
        group.part = Some(repeated);
        group.is_repeated = false;
        group.most = group.most.max(repeated);
    }

    fn open(&mut self) -> Result<(), String> {
        if self.rest.peek() != Some(&'?') {
            self.groups.push(Group::default());
            return Ok(());
        }
        self.rest.next();
        let mut flags = String::new();
        loop {
            match self.rest.next() {
                Some('P') if flags.is_empty() && self.rest.peek() == Some(&'<') => {}
                Some('<') if flags.is_empty() => return self.name(),
                Some(':') => {
                    self.groups.push(Group::default());
                    return Ok(());
                }
                Some(')') if !flags.is_empty() => return Ok(()),
                Some(flag @ ('i' | 'm' | 's' | 'U' | '-')) => flags.push(flag),
                Some(other) => {
                    return Err(format!("has `(?{flags}{other}`, which Go does not have"));
                }
                None => return Err("has a `(` that is not closed".to_owned()),
            }
        }
    }

    /// The rest of `(?<name>`.
    fn name(&mut self) -> Result<(), String> {
        let mut name = String::new();
        for letter in self.rest.by_ref() {
            if letter == '>' && !name.is_empty() {
                self.groups.push(Group::default());
                return Ok(());
            }
            if !letter.is_ascii_alphanumeric() && letter != '_' {
                return Err(format!("has `(?<{name}{letter}`, which Go does not have"));
            }
            name.push(letter);
        }
        Err("has a `(` that is not closed".to_owned())
    }

    fn close(&mut self) -> Result<(), String> {
        let closed = self
            .groups
            .pop()
            .filter(|_| !self.groups.is_empty())
            .ok_or("has a `)` without its `(`")?;
        self.part(closed.most.max(1));
        Ok(())
    }

    fn repeat(&mut self, times: u32) -> Result<(), String> {
        // After an operator, `?` makes it prefer less.
        if self.rest.peek() == Some(&'?') {
            self.rest.next();
        }
        let group = self.group();
        let Some(part) = group.part else {
            return Err("repeats nothing".to_owned());
        };
        if group.is_repeated {
            return Err("repeats a repetition".to_owned());
        }
        let repeated = part.saturating_mul(times.max(1));
        if repeated > MAX_REPEAT && times > 1 {
            return Err(format!("repeats a part more than {MAX_REPEAT} times"));
        }
        group.part = Some(repeated);
        group.is_repeated = true;
        group.most = group.most.max(repeated);
        Ok(())
    }

    fn repeat_counted(&mut self, least: u32, most: Option<u32>) -> Result<(), String> {
        let times = most.unwrap_or(least);
        if least > MAX_REPEAT || times > MAX_REPEAT || least > times {
            return Err(format!(
                "repeats a part `{{{least},…}}` times: at most {MAX_REPEAT}, the smaller number first"
            ));
        }
        self.repeat(times)
    }

    /// The numbers of `{1,2}`; anything else is text.
    fn counts(&mut self) -> Option<(u32, Option<u32>)> {
        let mut ahead = self.rest.clone();
        let text: String = ahead.by_ref().take_while(|letter| *letter != '}').collect();
        let closed = self.rest.clone().count() > text.chars().count();
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            let is_short = !text.starts_with('0') || text == "0";
            (is_number && is_short).then(|| text.parse().unwrap_or(u32::MAX))
        };
        let range = match text.split_once(',') {
            None => number(&text).map(|times| (times, Some(times))),
            Some((least, "")) => number(least).map(|least| (least, None)),
            Some((least, most)) => number(least).zip(number(most).map(Some)),
        };
        let counts = range.filter(|_| closed)?;
        self.rest = ahead;
        Some(counts)
    }

    /// What follows a backslash: in brackets it is one character.
    fn escape(&mut self, in_class: bool) -> Result<Option<char>, String> {
        let letter = self.rest.next().ok_or("ends with a backslash")?;
        match letter {
            'd' | 'D' | 's' | 'S' | 'w' | 'W' => return Ok(None),
            'p' | 'P' => return self.property().map(|()| None),
            'A' | 'b' | 'B' | 'z' if !in_class => return Ok(None),
            'Q' if !in_class => {
                self.quoted();
                return Ok(None);
            }
            'a' | 'f' | 'n' | 'r' | 't' | 'v' => {}
            'x' => return self.hexadecimal().map(|()| None),
            '0'..='7' => {
                let digits = self.digits();
                if letter != '0' && digits == 0 {
                    return Err(format!(
                        "has the backreference `\\{letter}`, which Go does not have"
                    ));
                }
                return Ok(None);
            }
            _ if letter.is_ascii_alphanumeric() || !letter.is_ascii() => {
                return Err(format!("has `\\{letter}`, which Go does not have"));
            }
            _ => return Ok(Some(letter)),
        }
        Ok(None)
    }

    /// Up to two more digits of an octal number.
    fn digits(&mut self) -> usize {
        let mut count = 0;
        while count < 2
            && self
                .rest
                .next_if(|letter| matches!(letter, '0'..='7'))
                .is_some()
        {
            count += 1;
        }
        count
    }

    fn property(&mut self) -> Result<(), String> {
        match self.rest.next() {
            Some('{') if self.rest.any(|letter| letter == '}') => Ok(()),
            Some('L' | 'M' | 'N' | 'P' | 'S' | 'Z' | 'C') => Ok(()),
            _ => Err("has a class `\\p` that Go does not have".to_owned()),
        }
    }

    fn quoted(&mut self) {
        let text: String = self.rest.clone().collect();
        let end = text.find("\\E").map_or(text.len(), |end| end + 2);
        let letters = text[..end].chars().count();
        for _ in 0..letters {
            self.rest.next();
        }
    }

    fn hexadecimal(&mut self) -> Result<(), String> {
        let is_digit = |letter: &char| letter.is_ascii_hexdigit();
        let is_right = if self.rest.next_if_eq(&'{').is_some() {
            let mut digits = 0;
            while self.rest.next_if(is_digit).is_some() {
                digits += 1;
            }
            digits > 0 && self.rest.next() == Some('}')
        } else {
            (0..2).all(|_| self.rest.next_if(is_digit).is_some())
        };
        is_right
            .then_some(())
            .ok_or_else(|| "has a `\\x` without its digits".to_owned())
    }

    fn class(&mut self) -> Result<(), String> {
        self.rest.next_if_eq(&'^');
        let mut is_first = true;
        loop {
            let letter = self.rest.next().ok_or("has a `[` that is not closed")?;
            if letter == ']' && !is_first {
                return Ok(());
            }
            is_first = false;
            if letter == '[' && self.named_class()? {
                continue;
            }
            let low = match letter {
                '\\' => self.escape(true)?,
                letter => Some(letter),
            };
            self.range(low)?;
        }
    }

    /// The end of a range, if there is one: of `a-z` the `-z`.
    fn range(&mut self, low: Option<char>) -> Result<(), String> {
        let mut ahead = self.rest.clone();
        let is_range = ahead.next() == Some('-') && !matches!(ahead.next(), None | Some(']'));
        let Some(low) = low.filter(|_| is_range) else {
            return Ok(());
        };
        self.rest.next();
        let high = match self.rest.next() {
            Some('\\') => self.escape(true)?,
            letter => letter,
        };
        match high {
            Some(high) if high < low => Err(format!(
                "has the range `{low}-{high}`, whose end comes first"
            )),
            _ => Ok(()),
        }
    }

    /// Reads `[:alpha:]` behind its first bracket.
    fn named_class(&mut self) -> Result<bool, String> {
        if self.rest.peek() != Some(&':') {
            return Ok(false);
        }
        let text: String = self.rest.clone().collect();
        let Some(end) = text[1..].find(":]").map(|end| end + 1) else {
            return Ok(false);
        };
        let name = &text[1..end];
        if !CLASSES.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return Err(format!(
                "has the class `[:{name}:]`, which Go does not have"
            ));
        }
        let letters = text[..end + 2].chars().count();
        for _ in 0..letters {
            self.rest.next();
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    /// Patterns that Go compiles.
    const PASSES: &str = r"^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$
^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$
(?i)^(?P<year>\d{4})-(?<month>\d\d)(?:-x|)$
a{,5}
a{
{
a{1
x{2,}y{0,1000}
[]a]
[^]a-]
[a-]
[-a]
[\d-z]
[[:alpha:]_]
[[:^alpha:]]
\Q*+\E*
\x{10FFFF}\x41\012
^*
a??b*?
\p{Greek}\pL
\/\-\_\<
(a{2}){500}
[[:x]
(|a)*
]
}
\12
[a\]b]
(?s:.)
(?i)(?-i)a
é+
a{01}
";

    #[test]
    fn what_go_compiles_passes() {
        for pattern in PASSES.lines() {
            assert_eq!(check(pattern), Ok(()), "{pattern}");
        }
    }

    #[test]
    fn what_go_does_not_have_is_named() {
        for (pattern, expected) in [
            ("^(?!kube-)", "(?!"),
            ("(?<=a)b", "(?<="),
            ("(?>a)", "(?>"),
            ("(a)\\1", "backreference"),
            ("a++", "repetition"),
            ("*a", "nothing"),
            ("a|*", "nothing"),
            ("(a", "not closed"),
            ("a)", "without its"),
            ("[a", "not closed"),
            ("[z-a]", "range"),
            ("a\\", "backslash"),
            ("\\Z", "\\Z"),
            ("[\\b]", "\\b"),
            ("a{1001}", "1000"),
            ("a{2,1}", "1000"),
            ("(a{2}){501}", "1000"),
            ("[[:foo:]]", "foo"),
            ("\\u0041", "\\u"),
        ] {
            let fault = check(pattern).expect_err(pattern);
            assert!(fault.contains(expected), "{pattern}: {fault}");
        }
    }
}
