//! Generates strings that match a pattern.

use std::iter::Peekable;
use std::str::Chars;

use fastrand::Rng;

/// Maximum number of repetitions of an unbounded repetition, beyond its minimum.
const MORE: usize = 3;

/// A text that matches a regular expression of a schema. `None` if its syntax is not supported here, so the caller must
/// check the text anyway.
pub(super) fn text(pattern: &str, rng: &mut Rng) -> Option<String> {
    let mut reader = Reader {
        rest: pattern.chars().peekable(),
        rng,
    };
    let text = reader.alternatives()?;
    reader.rest.next().is_none().then_some(text)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    rng: &'a mut Rng,
}

/// A part of a pattern, which generates a new text each time.
type Part = Box<dyn Fn(&mut Rng) -> String>;

impl Reader<'_> {
    /// One of several alternatives. All are generated, because the pattern must be parsed to its end.
    fn alternatives(&mut self) -> Option<String> {
        let made = self.parts()?;
        Some(made(self.rng))
    }

    fn parts(&mut self) -> Option<Part> {
        let mut all: Vec<Vec<Part>> = vec![Vec::new()];
        loop {
            match self.rest.peek() {
                None | Some(')') => break,
                Some('|') => {
                    self.rest.next();
                    all.push(Vec::new());
                }
                Some('^' | '$') => drop(self.rest.next()),
                Some(_) => {
                    let part = self.repeated()?;
                    all.last_mut()?.push(part);
                }
            }
        }
        Some(Box::new(move |rng| {
            let chosen = &all[rng.usize(..all.len())];
            chosen.iter().map(|part| part(rng)).collect()
        }))
    }

    fn repeated(&mut self) -> Option<Part> {
        let part = self.part()?;
        let (least, most) = match self.rest.peek() {
            Some('*') => (0, MORE),
            Some('+') => (1, 1 + MORE),
            Some('?') => (0, 1),
            Some('{') => {
                let range: String = self
                    .rest
                    .by_ref()
                    .skip(1)
                    .take_while(|c| *c != '}')
                    .collect();
                let (least, most) = range.split_once(',').unwrap_or((&range, &range));
                let least: usize = least.parse().ok()?;
                let most = match most {
                    "" => least + MORE,
                    most => most.parse::<usize>().ok()?.min(least + 8),
                };
                return Some(times(part, least, most));
            }
            _ => return Some(part),
        };
        self.rest.next();
        if self.rest.peek() == Some(&'?') {
            self.rest.next();
        }
        Some(times(part, least, most))
    }

    fn part(&mut self) -> Option<Part> {
        match self.rest.next()? {
            '(' => {
                if self.rest.peek() == Some(&'?') {
                    self.rest.next();
                    if self.rest.next()? != ':' {
                        return None;
                    }
                }
                let parts = self.parts()?;
                (self.rest.next()? == ')').then_some(parts)
            }
            '[' => self.set(),
            '.' => Some(one_of(vec![('a', 'z'), ('0', '9')])),
            '\\' => {
                let c = self.rest.next()?;
                Some(one_of(class(c)?))
            }
            '*' | '+' | '?' | '{' => None,
            c => Some(one_of(vec![(c, c)])),
        }
    }

    /// A character class in brackets.
    fn set(&mut self) -> Option<Part> {
        let is_negated = self.rest.next_if_eq(&'^').is_some();
        let mut ranges: Vec<(char, char)> = Vec::new();
        loop {
            match self.rest.next()? {
                ']' if !ranges.is_empty() => break,
                '\\' => ranges.extend(class(self.rest.next()?)?),
                '[' => return None,
                first => {
                    let mut last = first;
                    if self.rest.peek() == Some(&'-') {
                        self.rest.next();
                        match self.rest.next_if(|c| *c != ']') {
                            Some('\\') => return None,
                            Some(c) => last = c,
                            None => ranges.push(('-', '-')),
                        }
                    }
                    ranges.push((first, last));
                }
            }
        }
        if is_negated {
            let is_out = |c: &char| !ranges.iter().any(|(from, to)| (from..=to).contains(&c));
            let left: Vec<_> = ('a'..='z').chain('0'..='9').filter(is_out).collect();
            ranges = left.into_iter().map(|c| (c, c)).collect();
        }
        (!ranges.is_empty()).then(|| one_of(ranges))
    }
}

fn class(c: char) -> Option<Vec<(char, char)>> {
    match c {
        'd' => Some(vec![('0', '9')]),
        'w' => Some(vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')]),
        's' => Some(vec![(' ', ' ')]),
        'S' => Some(vec![('a', 'z'), ('0', '9'), ('*', '*'), ('/', '/')]),
        'D' | 'W' => Some(vec![('-', '-')]),
        c if c.is_ascii_alphanumeric() => None,
        c => Some(vec![(c, c)]),
    }
}

fn one_of(ranges: Vec<(char, char)>) -> Part {
    Box::new(move |rng| {
        let (from, to) = ranges[rng.usize(..ranges.len())];
        rng.char(from..=to).to_string()
    })
}

fn times(part: Part, least: usize, most: usize) -> Part {
    Box::new(move |rng| {
        let count = rng.usize(least..=most.max(least));
        (0..count).map(|_| part(rng)).collect()
    })
}

#[cfg(test)]
mod tests {
    use fastrand::Rng;
    use regex::Regex;

    use super::text;

    #[test]
    fn texts_have_their_pattern() {
        let mut rng = Rng::with_seed(1);
        for pattern in [
            "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
            r"^(\d+|\*)(/\d+)?( (\d+|\*)(/\d+)?){4}$",
            r"^(\S+\s+){4}\S+$",
            "^(?:http|https)://[^/]+/?$",
            r"^v[1-9][0-9]{0,2}((alpha|beta)[1-9])?$",
            r"^[\w.-]{2,}$",
            "^[a-f-]+$",
            "plain|or",
        ] {
            let regex = Regex::new(pattern).unwrap();
            let mut seen = std::collections::BTreeSet::new();
            for _ in 0..50 {
                let made = text(pattern, &mut rng).unwrap();
                assert!(regex.is_match(&made), "{pattern}: {made}");
                seen.insert(made);
            }
            assert!(seen.len() > 1, "{pattern}: {seen:?}");
        }
        for unknown in [r"^\pL$", "(?i)a", "a(", "[a", "+"] {
            assert_eq!(text(unknown, &mut rng), None, "{unknown}");
        }
    }
}
