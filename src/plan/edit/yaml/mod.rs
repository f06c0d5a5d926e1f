//! Edits YAML by putting lines into its text, so that everything else stays as it is.

mod node;
#[cfg(test)]
mod tests;

use crate::error::Result;

use super::Edit;
use node::{Entry, Item, Node, Shape};

/// Merges as [`super::merge`] says. Where the user has another value for a key, it stays.
pub(super) fn merge(path: &str, text: &str, base: &str, desired: &str) -> Result<Edit> {
    let Some(want) = Node::parse(path, desired)? else {
        return Ok(Edit::Nothing);
    };
    let was = Node::parse(path, base)?;
    let Some(have) = Node::parse(path, text)? else {
        return Ok(Edit::Text(format!("{text}{desired}")));
    };
    let mut edits = Edits {
        text,
        desired,
        path: Vec::new(),
        changes: Vec::new(),
    };
    if let Err(reason) = edits.merge(&have, was.as_ref(), &want) {
        return Ok(Edit::NoPlace(reason));
    }
    Ok(Edit::of(text, edits.apply()))
}

/// Changes to a text, collected before any is made.
struct Edits<'a> {
    text: &'a str,
    desired: &'a str,
    /// The keys around the value that is merged.
    path: Vec<String>,
    /// From where to where, and what stands there instead.
    changes: Vec<(usize, usize, String)>,
}

impl Edits<'_> {
    fn merge(&mut self, have: &Node, was: Option<&Node>, want: &Node) -> Result<(), String> {
        if was == Some(want) || have == want {
            return Ok(());
        }
        if was == Some(have) && self.replace(have, want) {
            return Ok(());
        }
        match (&have.shape, &want.shape) {
            // What an alias stands for may be used elsewhere too.
            (Shape::Sequence(_), Shape::Sequence(_))
                if have.alias && new_items(have, was, want).is_empty() =>
            {
                Ok(())
            }
            (Shape::Mapping(_) | Shape::Sequence(_), _) if have.alias => {
                let start = want.items().first().map_or(want.start, |first| first.start);
                Err(self.no_place("has an alias", start, want.end))
            }
            (Shape::Mapping(_), Shape::Mapping(entries)) => {
                for entry in entries {
                    let was = was.and_then(|was| was.get(&entry.key));
                    if was == Some(&entry.value) {
                        continue;
                    }
                    match have.get(&entry.key) {
                        Some(have) => self.merge_entry(have, was, entry)?,
                        None => self.add_entry(have, want, entry)?,
                    }
                }
                let gone = was.into_iter().flat_map(Node::entries);
                for entry in gone.filter(|entry| want.get(&entry.key).is_none()) {
                    self.remove_entry(have, entry);
                }
                Ok(())
            }
            (Shape::Sequence(_), Shape::Sequence(_)) => {
                let mut changed = Vec::new();
                for item in new_items(have, was, want) {
                    match was.and_then(|was| before(item, was, want)) {
                        Some(was) => {
                            changed.push(was);
                            self.change_item(have, was, item)?;
                        }
                        None => self.add_item(have, item)?,
                    }
                }
                let is_wanted = |was: &Node| want.items().iter().any(|item| item.value == *was);
                let gone = was
                    .into_iter()
                    .flat_map(Node::items)
                    .map(|item| &item.value)
                    .filter(|was| !is_wanted(was) && !changed.contains(was));
                self.remove_items(have, &gone.collect::<Vec<_>>());
                Ok(())
            }
            (_, Shape::Sequence(_)) if have.is_null() => {
                for item in new_items(have, was, want) {
                    let column = column(self.text, self.text[..have.start].trim_end().len());
                    self.add_lines(
                        have.end,
                        column,
                        &self.desired[item.start..item.value.end],
                        column_of(self.desired, item.start),
                    );
                }
                Ok(())
            }
            (Shape::Scalar(_), Shape::Scalar(_)) => {
                if was == Some(have) {
                    let new = self.desired[want.start..want.end].to_owned();
                    self.changes.push((have.start, have.end, new));
                }
                Ok(())
            }
            _ => {
                let start = want.items().first().map_or(want.start, |first| first.start);
                Err(self.no_place("has something else", start, want.end))
            }
        }
    }

    fn merge_entry(
        &mut self,
        have: &Node,
        was: Option<&Node>,
        entry: &Entry,
    ) -> Result<(), String> {
        self.path.push(entry.key.clone());
        self.merge(have, was, &entry.value)?;
        self.path.pop();
        Ok(())
    }

    /// Replaces the value of a key that nobody edited: one in brackets or braces that lines do not fit into, such as `[]`,
    /// and lines that become such a value, whose comments stay below. Returns false, and changes nothing, if a comment is
    /// in brackets.
    fn replace(&mut self, have: &Node, want: &Node) -> bool {
        let fits = |item: &Item| matches!(item.value.shape, Shape::Scalar(_));
        let is_list_of_words =
            matches!(want.shape, Shape::Sequence(_)) && want.items().iter().all(fits);
        let is_collection = |node: &Node| !matches!(node.shape, Shape::Scalar(_));
        let is_replaced = is_collection(have)
            && is_collection(want)
            && (have.flow != want.flow)
            && !(have.flow && is_list_of_words);
        // A list starts with its first dash.
        let start = |node: &Node| {
            node.items()
                .first()
                .map_or(node.start, |item| item.start.min(node.start))
        };
        if !is_replaced || have.alias {
            return false;
        }
        let (have_start, want_start) = (start(have), start(want));
        let comments = node::comments(self.text);
        let mut before = self.text[..have_start].trim_end();
        while let Some(comment) = comments.iter().find(|comment| comment.end == before.len()) {
            before = self.text[..comment.start].trim_end();
        }
        let old = before.len()..have.end;
        let inside = comments.iter().filter(|it| old.contains(&it.start));
        let inside: Vec<&str> = inside.map(|it| &self.text[it.clone()]).collect();
        if !before.ends_with(':') || self.text[old].contains('&') {
            return false;
        }
        if want.flow {
            let new = format!(" {}", &self.desired[want.start..want.end]);
            self.changes.push((before.len(), have.end, new));
            if !inside.is_empty() {
                let at = column(self.text, before.len());
                self.add_lines(have.end, at, &inside.join("\n"), 0);
            }
            return true;
        }
        if !inside.is_empty() {
            return false;
        }
        let key = self.desired[..want_start].trim_end().len();
        let from = column_of(self.desired, want_start);
        let at = column(self.text, before.len()) + from - column(self.desired, key);
        self.changes.push((before.len(), have.end, String::new()));
        self.add_lines(have.end, at, &self.desired[want_start..want.end], from);
        true
    }

    /// Adds an entry below the one that it follows in `want`, so that an entry that returns is where it was.
    fn add_entry(&mut self, mapping: &Node, want: &Node, entry: &Entry) -> Result<(), String> {
        let source = &self.desired[entry.start..entry.value.end];
        if mapping.flow {
            return Err(self.no_place("is written in braces", entry.start, entry.value.end));
        }
        let (at, from) = (
            column_of(self.text, mapping.start),
            column_of(self.desired, entry.start),
        );
        let mut above = want
            .entries()
            .iter()
            .rev()
            .skip_while(|other| other.start >= entry.start);
        let previous = above.find_map(|other| mapping.get(&other.key));
        let is_below = |have: &&Entry| {
            let other = want.entries().iter().find(|other| other.key == have.key);
            other.is_some_and(|other| other.start > entry.start)
        };
        match (previous, mapping.entries().first()) {
            (Some(previous), _) => self.add_lines(previous.end, at, source, from),
            (None, Some(first)) if !self.starts_line(first.start) => {
                let lines = moved_lines(source, from, at);
                let new = format!("{}\n{}", lines.trim(), " ".repeat(at));
                self.changes.push((first.start, first.start, new));
            }
            (None, first) => match first
                .filter(is_below)
                .and_then(|first| self.line_above(first.start))
            {
                Some(line) => self.add_lines(line, at, source, from),
                None => self.add_lines(mapping.end, at, source, from),
            },
        }
        Ok(())
    }

    /// Merges a member of a list with what it was, where the user has left that in the list.
    fn change_item(&mut self, list: &Node, was: &Node, item: &Item) -> Result<(), String> {
        let mut items = list.items().iter();
        match items.find(|have| have.value.has_all_of(was)) {
            Some(have) => self.merge(&have.value, Some(was), &item.value),
            None => Ok(()),
        }
    }

    fn add_item(&mut self, list: &Node, item: &Item) -> Result<(), String> {
        if !list.flow {
            let source = &self.desired[item.start..item.value.end];
            let first = list.items().first().map_or(list.start, |first| first.start);
            let (at, from) = (
                column_of(self.text, first),
                column_of(self.desired, item.start),
            );
            self.add_lines(list.end, at, source, from);
            return Ok(());
        }
        let source = &self.desired[item.value.start..item.value.end];
        if !matches!(item.value.shape, Shape::Scalar(_)) {
            return Err(self.no_place("has a list in brackets", item.start, item.value.end));
        }
        let (at, comma) = match list.items().last() {
            Some(last) => (last.value.end, ", "),
            None => (list.end - 1, ""),
        };
        self.changes.push((at, at, format!("{comma}{source}")));
        Ok(())
    }

    /// Takes an entry out that is as it was, and the members of a list that others have added to.
    fn remove_entry(&mut self, mapping: &Node, was: &Entry) {
        let mut entries = mapping.entries().iter();
        let Some(have) = entries.find(|have| have.key == was.key) else {
            return;
        };
        if have.value != was.value {
            let gone: Vec<_> = was.value.items().iter().map(|item| &item.value).collect();
            self.remove_items(&have.value, &gone);
        } else if !mapping.flow && !have.value.alias {
            self.remove_lines(have.start, have.value.end);
            self.remove_first(mapping, have);
        }
    }

    /// Removes the first entry of a member of a list, which has the dash before it: the next entry takes its place.
    fn remove_first(&mut self, mapping: &Node, first: &Entry) {
        let (start, end) = (first.start, first.value.end);
        let mut entries = mapping.entries().iter();
        let next = entries.find(|entry| entry.start > start);
        let is_first = mapping.start == start && !self.starts_line(start);
        if let Some(next) = next.filter(|_| is_first)
            && self.text[end..next.start].trim().is_empty()
            && !self.text[start..end].contains('&')
        {
            self.changes.push((start, next.start, String::new()));
        }
    }

    fn remove_items(&mut self, list: &Node, gone: &[&Node]) {
        let is_gone = |item: &&Item| gone.contains(&&item.value);
        let (Some(first), Some(last)) = (list.items().first(), list.items().last()) else {
            return;
        };
        if list.alias || !list.items().iter().any(|item| is_gone(&item)) {
            return;
        }
        if list.flow {
            let kept = list
                .items()
                .iter()
                .filter(|item| !is_gone(item))
                .map(|item| &self.text[item.value.start..item.value.end])
                .collect::<Vec<_>>()
                .join(", ");
            self.changes.push((first.value.start, last.value.end, kept));
            return;
        }
        for item in list.items().iter().filter(is_gone) {
            self.remove_lines(item.start, item.value.end);
        }
    }

    /// Takes out the lines of what stands there, if nothing stands before it, and if nothing else refers to it.
    fn remove_lines(&mut self, start: usize, end: usize) {
        let line = start - column_of(self.text, start);
        if self.starts_line(start) && !self.text[start..end].contains('&') {
            let rest = self.text[end..].find('\n');
            let end = rest.map_or(self.text.len(), |newline| end + newline + 1);
            self.changes.push((line, end, String::new()));
        }
    }

    /// The line above that of `start`, unless it is a comment, which belongs to what is below it.
    fn line_above(&self, start: usize) -> Option<usize> {
        let line = start - column_of(self.text, start);
        let above = self.text[..line].lines().next_back()?;
        (!above.trim_start().starts_with('#')).then_some(line - 1)
    }

    /// Whether nothing stands before `start` in its line.
    fn starts_line(&self, start: usize) -> bool {
        let line = start - column_of(self.text, start);
        self.text[line..start].trim().is_empty()
    }

    /// Puts `source` below the line that has `after` in it, moved from one column to another.
    fn add_lines(&mut self, after: usize, column: usize, source: &str, from: usize) {
        let at = if self.text[..after].ends_with('\n') {
            after
        } else {
            self.text[after..]
                .find('\n')
                .map_or(self.text.len(), |i| after + i + 1)
        };
        let mut lines = String::new();
        if !self.text[..at].is_empty() && !self.text[..at].ends_with('\n') {
            lines.push('\n');
        }
        lines.push_str(&moved_lines(source, from, column));
        self.changes.push((at, at, lines));
    }

    /// Says what is in the way of a part of the wanted text, and shows that part.
    fn no_place(&self, problem: &str, start: usize, end: usize) -> String {
        let column = column_of(self.desired, start);
        let lines: String = self.desired[start..end]
            .lines()
            .enumerate()
            .map(|(number, line)| {
                if number == 0 {
                    line
                } else {
                    line.get(column..).unwrap_or(line)
                }
            })
            .map(|line| format!("\n      {line}"))
            .collect();
        let place = match &*self.path.join(".") {
            "" => String::new(),
            path => format!(" in `{}`", path.escape_debug()),
        };
        format!("{problem}{place} where this belongs:{lines}")
    }

    fn apply(mut self) -> String {
        self.changes.sort_by_key(|(start, ..)| *start);
        let mut text = String::with_capacity(self.text.len() + 256);
        let mut done = 0;
        for (start, end, new) in &self.changes {
            text.push_str(&self.text[done..*start]);
            text.push_str(new);
            done = *end;
        }
        text.push_str(&self.text[done..]);
        text
    }
}

/// The lines of `source`, moved from one column to another.
fn moved_lines(source: &str, from: usize, to: usize) -> String {
    let mut lines = String::new();
    for (number, line) in source.trim_end().lines().enumerate() {
        let line = match number {
            0 => line,
            _ => line.get(from..).unwrap_or_default(),
        };
        if !line.is_empty() {
            lines.push_str(&" ".repeat(to));
            lines.push_str(line);
        }
        lines.push('\n');
    }
    lines
}

/// What a list is to gain: neither there, nor taken out by the user.
fn new_items<'n>(have: &Node, was: Option<&Node>, want: &'n Node) -> Vec<&'n Item> {
    let is_in = |node: &Node, item: &Item| node.items().iter().any(|i| i.value == item.value);
    want.items()
        .iter()
        .filter(|item| !is_in(have, item) && !was.is_some_and(|was| is_in(was, item)))
        .collect()
}

/// What a new member of a list was before it changed: one that the list no longer has, that has most entries of it,
/// and that is no more like another new member.
fn before<'n>(item: &Item, was: &'n Node, want: &Node) -> Option<&'n Node> {
    let is_in = |list: &Node, node: &Node| list.items().iter().any(|item| item.value == *node);
    let candidates = was
        .items()
        .iter()
        .map(|item| &item.value)
        .filter(|was| !is_in(want, was) && is_like(&item.value, was));
    // Of equals, the first.
    let found = candidates
        .rev()
        .max_by_key(|was| likeness(&item.value, was))?;
    let rivals = want.items().iter().filter(|item| !is_in(was, &item.value));
    let nearest = rivals
        .rev()
        .max_by_key(|item| likeness(&item.value, found))?;
    (nearest.start == item.start).then_some(found)
}

/// Whether a mapping may be another that has changed.
fn is_like(node: &Node, was: &Node) -> bool {
    let (is_part, in_common) = likeness(node, was);
    is_part || in_common * 2 > was.entries().len()
}

/// Whether one of two mappings has all of the other, and how many entries they have in common.
fn likeness(node: &Node, was: &Node) -> (bool, usize) {
    let is_part = node.has_all_of(was) || was.has_all_of(node);
    (is_part, node.in_common(was))
}

/// How far `offset` is into its line.
fn column_of(text: &str, offset: usize) -> usize {
    offset - text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The indentation of the line that has `offset` in it.
fn column(text: &str, offset: usize) -> usize {
    let line = &text[offset - column_of(text, offset)..];
    line.len() - line.trim_start_matches(' ').len()
}
