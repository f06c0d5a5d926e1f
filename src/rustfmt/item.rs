//! A line of code as what stands in its brackets.

use std::iter::Peekable;
use std::ops::Range;

use super::token::{Token, Tokens};
use super::width;

/// No template has so many brackets in each other.
const DEEPEST: usize = 16;

/// What stands between two commas, or is a whole line.
#[derive(Debug)]
pub(super) struct Item<'a> {
    pub(super) text: &'a str,
    /// Its brackets.
    pub(super) groups: Vec<Group<'a>>,
    /// Where the fields and methods of a value begin.
    pub(super) dots: Vec<usize>,
    /// Whether it is more than a value: an operator, a closure, a block, a type.
    pub(super) is_complex: bool,
}

/// What stands in brackets.
#[derive(Debug)]
pub(super) struct Group<'a> {
    /// Where it is in the item that it belongs to, with its brackets.
    pub(super) range: Range<usize>,
    /// What is between the brackets.
    pub(super) text: &'a str,
    pub(super) items: Vec<Item<'a>>,
}

impl<'a> Item<'a> {
    /// A line of code. `None` where brackets are open at its end, or were before.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let mut reader = Reader {
            text,
            tokens: Tokens::of(text).peekable(),
        };
        let item = reader.item(0, false)?;
        reader.tokens.next().is_none().then_some(item)
    }

    /// How many columns it takes on one line.
    pub(super) fn width(&self) -> usize {
        width(self.text)
    }

    /// What is called, and the arguments, if the item ends with them.
    pub(super) fn call(&self) -> Option<(&'a str, &Group<'a>)> {
        let last = self.groups.last()?;
        let is_end = last.range.end == self.text.len();
        is_end.then(|| (&self.text[..last.range.start], last))
    }
}

impl Group<'_> {
    /// The brackets, in the item that they belong to.
    pub(super) fn brackets<'a>(&self, of: &Item<'a>) -> (&'a str, &'a str) {
        let Range { start, end } = self.range;
        (&of.text[start..=start], &of.text[end - 1..end])
    }
}

struct Reader<'a> {
    text: &'a str,
    tokens: Peekable<Tokens<'a>>,
}

impl<'a> Reader<'a> {
    /// What is before a closing bracket or the end, and in a list before a comma.
    fn item(&mut self, depth: usize, is_listed: bool) -> Option<Item<'a>> {
        let mut range: Option<Range<usize>> = None;
        let (mut groups, mut dots) = (Vec::new(), Vec::new());
        let (mut is_complex, mut angles) = (false, 0_usize);
        while let Some((token, found)) = self.tokens.peek().cloned() {
            let mark = &self.text[found.clone()];
            if token == Token::Close || (is_listed && mark == "," && angles == 0) {
                break;
            }
            self.tokens.next();
            let before = range.as_ref().map_or(found.start, |range| range.end);
            let start = range.as_ref().map_or(found.start, |range| range.start);
            if token == Token::Blank {
                continue;
            }
            // `&mut value` is a value.
            let is_apart = before < found.start && &self.text[start..before] != "&mut";
            is_complex |= is_apart && angles == 0;
            let mut end = found.end;
            match (token, mark) {
                (Token::Open, _) => {
                    let items = self.items(depth + 1)?;
                    let (_, close) = self.tokens.next()?;
                    if !closes(mark, &self.text[close.clone()]) {
                        return None;
                    }
                    is_complex |= mark == "{" || items.iter().any(|item| item.is_complex);
                    end = close.end;
                    groups.push(Group {
                        range: found.start - start..end - start,
                        text: &self.text[found.end..close.start],
                        items,
                    });
                }
                (Token::Mark, "<") if before == found.start => angles += 1,
                (Token::Mark, ">") => angles = angles.saturating_sub(1),
                (Token::Mark, ".") if angles == 0 => dots.push(found.start - start),
                (Token::Mark, "|" | "=" | "?" | ";" | "%") => is_complex = true,
                _ => {}
            }
            range = Some(start..end);
        }
        Some(Item {
            text: &self.text[range.unwrap_or_default()],
            groups,
            dots,
            is_complex,
        })
    }

    /// The items of a list, up to the bracket that closes it.
    fn items(&mut self, depth: usize) -> Option<Vec<Item<'a>>> {
        if depth > DEEPEST {
            return None;
        }
        let mut items = Vec::new();
        loop {
            let item = self.item(depth, true)?;
            let (token, _) = self.tokens.peek()?;
            let is_last = *token == Token::Close;
            if !(is_last && item.text.is_empty()) {
                items.push(item);
            }
            if is_last {
                return Some(items);
            }
            self.tokens.next();
        }
    }
}

fn closes(open: &str, close: &str) -> bool {
    [("(", ")"), ("[", "]"), ("{", "}")].contains(&(open, close))
}
