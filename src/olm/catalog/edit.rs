//! Edits of a catalog's files: what is added is put into the text, and all else stays as it is.

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::yaml;

use super::blob::Blob;

/// What leads from an entry to others.
const EDGES: [&str; 2] = ["replaces", "skips"];

/// Changes to a file, collected before any is made.
#[derive(Debug)]
pub(super) struct Edits<'a> {
    text: &'a str,
    /// From where to where, and what is there instead.
    changes: Vec<(usize, usize, String)>,
}

impl<'a> Edits<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            changes: Vec::new(),
        }
    }

    /// The text with all changes.
    pub(super) fn apply(mut self) -> String {
        // What is put before a part comes before its removal.
        self.changes.sort_by_key(|(start, end, _)| (*start, *end));
        let mut text = String::with_capacity(self.text.len() + 1024);
        let mut done = 0;
        for (start, end, new) in &self.changes {
            text.push_str(self.text.get(done..*start).unwrap_or_default());
            text.push_str(new);
            done = *end;
        }
        text.push_str(&self.text[done..]);
        text
    }

    /// Adds a document behind that of a blob.
    pub(super) fn add_document(&mut self, after: &Blob, document: &Value) -> Result<()> {
        is_block(after)?;
        let mut at = self.line_end(after.place("").end);
        // Comments belong to what they stand behind.
        while at < self.text.len() && !self.text[at..].starts_with("---") {
            let is_end = self.text[at..].starts_with("...");
            at = self.next_line(at);
            if is_end {
                break;
            }
        }
        let text = format!("---\n{}", yaml::to_string(document)?);
        self.insert(at, &text);
        Ok(())
    }

    /// Sets a field of a blob to a string.
    pub(super) fn set(&mut self, blob: &Blob, field: &str, value: &str) -> Result<()> {
        is_block(blob)?;
        let value = scalar(value)?;
        if let Some(place) = blob.exact_place(&format!("/{field}")) {
            if place.start < place.end {
                self.changes.push((place.start, place.end, value));
                return Ok(());
            }
            let colon = self.text[place.key..]
                .find(':')
                .map(|at| place.key + at + 1);
            let Some(colon) = colon else {
                return Err(uneditable(blob, &format!("`{field}` has no colon")));
            };
            self.changes.push((colon, colon, format!(" {value}")));
            return Ok(());
        }
        let name = blob.place("/name");
        let indent = self.column(name.key);
        let line = format!("{}{field}: {value}\n", " ".repeat(indent));
        self.insert(self.line_end(name.end), &line);
        Ok(())
    }

    /// Adds an entry to a channel.
    pub(super) fn add_entry(&mut self, channel: &Blob, entry: &Value) -> Result<()> {
        is_block(channel)?;
        let entries = channel.items("/entries");
        let list = channel.exact_place("/entries");
        match (list, entries.len().checked_sub(1)) {
            (Some(list), _) if list.start < list.end && list.is_flow => {
                if self.text[list.start..].trim_start().starts_with('[') {
                    let comma = if entries.is_empty() { "" } else { ", " };
                    let at = list.end - 1;
                    self.changes.push((at, at, format!("{comma}{entry}")));
                    return Ok(());
                }
                return Err(uneditable(channel, "`entries` is an alias"));
            }
            (Some(_), Some(last)) => {
                let item = channel.place(&format!("/entries/{last}"));
                let Some(dash) = self.dash(item.start) else {
                    return Err(uneditable(channel, "its last entry has no dash"));
                };
                let text = item_text(entry, self.column(dash))?;
                self.insert(self.line_end(item.end), &text);
            }
            (Some(list), None) => {
                let text = item_text(entry, self.column(list.key))?;
                self.insert(self.next_line(list.key), &text);
            }
            (None, _) => {
                let indent = self.column(channel.place("/schema").key);
                let text = item_text(entry, indent)?;
                let text = format!("{}entries:\n{text}", " ".repeat(indent));
                self.insert(self.line_end(channel.place("").end), &text);
            }
        }
        Ok(())
    }

    /// Lets an entry replace and skip what another does. Its other fields stay.
    pub(super) fn set_edges(&mut self, channel: &Blob, index: usize, wanted: &Value) -> Result<()> {
        is_block(channel)?;
        let pointer = format!("/entries/{index}");
        let entry = &channel.items("/entries")[index];
        let mut edges = wanted.as_object().cloned().unwrap_or_default();
        edges.retain(|field, _| EDGES.contains(&field.as_str()));
        let place = channel.place(&pointer);
        let Some(dash) = self.dash(place.start) else {
            return Err(uneditable(channel, "an entry has no dash"));
        };
        let old = EDGES.map(|field| {
            let place = channel.exact_place(&format!("{pointer}/{field}"))?;
            Some((field, place))
        });
        let is_first = |key: usize| self.text[dash + 1..key].trim().is_empty();
        let is_shared = old.iter().flatten().any(|(_, place)| is_first(place.key));
        if place.is_flow || is_shared {
            let mut whole = entry.as_object().cloned().unwrap_or_default();
            whole.retain(|field, _| !EDGES.contains(&field.as_str()));
            whole.extend(edges);
            let text = Value::from(whole).to_string();
            self.changes.push((place.start, place.end, text));
            return Ok(());
        }
        for (field, place) in old.into_iter().flatten() {
            if edges.get(field) == entry.get(field) {
                edges.remove(field);
                continue;
            }
            let start = place.key - self.column(place.key);
            self.changes
                .push((start, self.line_end(place.end), String::new()));
        }
        let indent = self.column(channel.place(&format!("{pointer}/name")).key);
        if !edges.is_empty() {
            let text = indented(&yaml::to_string(&edges)?, indent);
            let name = channel.place(&format!("{pointer}/name"));
            self.insert(self.line_end(name.end), &text);
        }
        Ok(())
    }

    fn insert(&mut self, at: usize, text: &str) {
        let before = &self.text[..at];
        let newline = if before.is_empty() || before.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        self.changes.push((at, at, format!("{newline}{text}")));
    }

    /// The start of the line below the one that ends with what ends here.
    fn line_end(&self, at: usize) -> usize {
        let at = at.min(self.text.len());
        if at > 0 && self.text.as_bytes()[at - 1] == b'\n' {
            at
        } else {
            self.next_line(at)
        }
    }

    /// The start of the next line.
    fn next_line(&self, at: usize) -> usize {
        let bytes = self.text.as_bytes();
        let rest = bytes[at..].iter().position(|byte| *byte == b'\n');
        rest.map_or(bytes.len(), |newline| at + newline + 1)
    }

    /// The column of a place, in bytes.
    fn column(&self, at: usize) -> usize {
        let before = &self.text.as_bytes()[..at];
        before
            .iter()
            .rev()
            .take_while(|byte| **byte != b'\n')
            .count()
    }

    /// The dash before an item of a list.
    fn dash(&self, item: usize) -> Option<usize> {
        let before = self.text[..item].trim_end();
        before.ends_with('-').then(|| before.len() - 1)
    }
}

fn uneditable(blob: &Blob, reason: &str) -> Error {
    let line = blob.place("").line;
    Error::new(
        Code::UneditableYaml,
        format!("cannot edit the document at {}:{line}: {reason}", blob.file),
    )
    .hint("write it in the block style of YAML, one field a line")
}

/// Refuses what is written as JSON: a line of YAML has no place in it.
fn is_block(blob: &Blob) -> Result<()> {
    if blob.place("").is_flow {
        Err(uneditable(blob, "it is written as JSON"))
    } else {
        Ok(())
    }
}

/// An item of a list, with its dash at a column.
fn item_text(entry: &Value, column: usize) -> Result<String> {
    let text = indented(&yaml::to_string(entry)?, column + 2);
    let dash = format!("{}- ", " ".repeat(column));
    Ok(format!(
        "{dash}{}",
        text.get(column + 2..).unwrap_or_default()
    ))
}

fn indented(text: &str, column: usize) -> String {
    let indent = " ".repeat(column);
    text.lines()
        .map(|line| format!("{indent}{line}\n"))
        .collect()
}

/// A string as YAML has it in one line.
fn scalar(value: &str) -> Result<String> {
    Ok(yaml::to_string(&value)?.trim_end().to_owned())
}
