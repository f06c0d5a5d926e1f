//! Where the parts of a document stand in its text.

use std::collections::HashMap;

use granit_parser::{Event, Span, StructureStyle};

/// Parts that are deeper have the place of what they are in.
const DEEPEST: usize = 5;

/// Where a part of a document is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    /// The line of the key, or of the value if it has none, from 1.
    pub(crate) line: usize,
    /// Where the key starts, in bytes; where the value does if it has none.
    pub(crate) key: usize,
    /// Where the value starts and ends, in bytes. A block ends with the last leaf in it, and a list without an
    /// indent starts behind its key.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// Whether it is in brackets, braces or quotes, and not a block.
    pub(crate) is_flow: bool,
}

/// The places in a document, by JSON pointer.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extents(HashMap<String, Extent>);

impl Extents {
    /// The place of a part, or of the closest part around it that has one.
    pub(crate) fn find(&self, pointer: &str) -> Extent {
        let mut pointer = pointer;
        loop {
            if let Some(place) = self.0.get(pointer) {
                return *place;
            }
            let Some((around, _)) = pointer.rsplit_once('/') else {
                return Extent::default();
            };
            pointer = around;
        }
    }

    /// The place of exactly this part.
    pub(crate) fn get(&self, pointer: &str) -> Option<Extent> {
        self.0.get(pointer).copied()
    }
}

/// A list or an object that is not closed yet.
struct Open {
    pointer: String,
    /// How many members a list has so far; `None` for an object.
    members: Option<usize>,
    /// The key whose value comes next, and where it stands.
    key: Option<(String, Extent)>,
    place: Extent,
}

/// Notes places, event by event.
#[derive(Default)]
pub(super) struct Locator {
    open: Vec<Open>,
    /// Where the last leaf ends.
    end: usize,
    places: Extents,
}

impl Locator {
    /// Forgets the document that was read so far.
    pub(super) fn restart(&mut self) {
        *self = Self::default();
    }

    /// The places of the document.
    pub(super) fn take(&mut self) -> Extents {
        std::mem::take(self).places
    }

    /// Notes an event of a part of the text that starts after so many bytes and lines.
    pub(super) fn read(&mut self, event: &Event<'_>, span: &Span, bytes: usize, lines: usize) {
        let range = span.byte_range().unwrap_or_default();
        let mut place = Extent {
            line: span.start.line() + lines,
            key: range.start + bytes,
            start: range.start + bytes,
            end: range.end + bytes,
            is_flow: true,
        };
        match event {
            Event::Scalar(text, ..) => match self.open.last_mut() {
                Some(open) if open.members.is_none() && open.key.is_none() => {
                    open.key = Some((text.to_string(), place));
                    self.end = place.end;
                }
                _ => {
                    let pointer = self.pointer(&mut place);
                    self.end = self.end.max(place.end);
                    self.note(pointer, place);
                }
            },
            Event::Alias(_) => match self.open.last_mut() {
                Some(open) if open.members.is_none() && open.key.is_none() => {
                    open.key = Some((String::new(), place));
                }
                _ => {
                    let pointer = self.pointer(&mut place);
                    self.end = place.end;
                    self.note(pointer, place);
                }
            },
            Event::SequenceStart(style, ..) => self.start(*style, Some(0), place),
            Event::MappingStart(style, ..) => self.start(*style, None, place),
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.open.pop() {
                    let end = if open.place.is_flow {
                        place.end
                    } else {
                        self.end.max(open.place.start)
                    };
                    self.end = end;
                    self.note(open.pointer, Extent { end, ..open.place });
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, style: StructureStyle, members: Option<usize>, mut place: Extent) {
        let pointer = self.pointer(&mut place);
        place.is_flow = style == StructureStyle::Flow;
        self.open.push(Open {
            pointer,
            members,
            key: None,
            place,
        });
    }

    /// The pointer of the value that starts here.
    fn pointer(&mut self, place: &mut Extent) -> String {
        // A pointer that nobody looks up takes no memory.
        let is_deep = self.open.len() > DEEPEST;
        let Some(open) = self.open.last_mut() else {
            return String::new();
        };
        let step = match (&mut open.members, open.key.take()) {
            (Some(members), _) => {
                *members += 1;
                (*members - 1).to_string()
            }
            (None, Some((key, at))) => {
                (place.key, place.line) = (at.key, at.line);
                if place.start == place.end {
                    // An absent value stands behind the colon.
                    *place = Extent {
                        start: at.end + 1,
                        end: at.end + 1,
                        ..at
                    };
                }
                key.replace('~', "~0").replace('/', "~1")
            }
            (None, None) => String::new(),
        };
        if is_deep {
            String::new()
        } else {
            format!("{}/{step}", open.pointer)
        }
    }

    fn note(&mut self, pointer: String, place: Extent) {
        if self.open.len() <= DEEPEST {
            self.places.0.insert(pointer, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::yaml::located;

    #[test]
    fn parts_are_where_they_stand() {
        let text = "# a\na: 1\n---\nb:\n- c: x\n  d: \"y\"\n- {c: z}\ne:\nf: |\n  g\n";
        let documents = located(text);
        let second = documents[1].as_ref().expect("YAML");
        for (pointer, line, part) in [
            ("", 4, "b:\n- c: x\n  d: \"y\"\n- {c: z}\ne:\nf: |\n  g\n"),
            ("/b", 4, "- c: x\n  d: \"y\"\n- {c: z}"),
            ("/b/0", 5, "c: x\n  d: \"y\""),
            ("/b/0/d", 6, "\"y\""),
            ("/b/1", 7, "{c: z}"),
            ("/b/1/c", 7, "z"),
            ("/b/1/c/none", 7, "z"),
            ("/e", 8, ""),
        ] {
            let place = second.places.find(pointer);
            assert_eq!(place.line, line, "{pointer}");
            // A list without an indent starts behind its key.
            assert_eq!(text[place.start..place.end].trim_start(), part, "{pointer}");
        }
        let json = located("{\"a\": 1}\n\n{\"b\": [2]}\n");
        let second = json[1].as_ref().expect("JSON");
        assert_eq!(second.places.find("/b/0").line, 3);
    }

    #[test]
    fn depth_takes_no_memory() {
        let text = format!("{}1{}", "[".repeat(400), "]".repeat(400));
        let documents = located(&text);
        let document = documents[0].as_ref().expect("YAML");
        assert!(document.places.0.len() < 10);
        assert!(located(&"[".repeat(100_000))[0].is_err());
    }
}
