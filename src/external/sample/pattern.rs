//! Texts that a regular expression matches.

use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};

/// The longest text that is made.
const LONGEST: usize = 1000;

/// How many parts of a pattern are written at most: repetitions can be in repetitions.
const STEPS: u32 = 10_000;

/// Texts that a pattern may match, the plainest first: an empty list for a pattern that cannot be read. Whether they
/// do is left to the pattern, as `\b` and the like are skipped.
pub(super) fn texts(pattern: &str) -> impl Iterator<Item = String> {
    let expression = regex_syntax::parse(pattern).ok();
    expression.into_iter().flat_map(|expression| {
        // Longer, then other: a text for each length, and for each choice.
        (0..12).flat_map(move |choice| {
            let expression = expression.clone();
            [0, 1, 2, 3, 5, 8, 16, 32, 64].into_iter().map(move |more| {
                let mut writer = Writer {
                    text: String::new(),
                    choice,
                    more,
                    steps: STEPS,
                };
                writer.write(&expression);
                writer.text
            })
        })
    })
}

struct Writer {
    text: String,
    /// Which of several alternatives and characters is taken.
    choice: usize,
    /// How often more than needed a part is repeated.
    more: u32,
    /// How many parts may still be written.
    steps: u32,
}

impl Writer {
    fn write(&mut self, expression: &Hir) {
        if self.text.len() > LONGEST || self.steps == 0 {
            return;
        }
        self.steps -= 1;
        match expression.kind() {
            HirKind::Literal(literal) => {
                self.text += &String::from_utf8_lossy(&literal.0);
            }
            HirKind::Class(Class::Unicode(class)) => {
                self.text.extend(character(class, self.choice));
            }
            HirKind::Empty | HirKind::Look(_) | HirKind::Class(Class::Bytes(_)) => {}
            HirKind::Repetition(repetition) => {
                let most = repetition.max.unwrap_or(u32::MAX);
                let count = repetition.min.saturating_add(self.more).min(most);
                for _ in 0..count.min(STEPS) {
                    self.write(&repetition.sub);
                }
            }
            HirKind::Capture(capture) => self.write(&capture.sub),
            HirKind::Concat(parts) => parts.iter().for_each(|part| self.write(part)),
            HirKind::Alternation(parts) => self.write(&parts[self.choice % parts.len()]),
        }
    }
}

/// A character of a class: a letter or a digit if there is one.
fn character(class: &ClassUnicode, choice: usize) -> Option<char> {
    let holds = |c: &char| {
        let mut ranges = class.ranges().iter();
        ranges.any(|range| (range.start()..=range.end()).contains(c))
    };
    let usual: Vec<char> = ('a'..='z')
        .chain('1'..='9')
        .chain(['0'])
        .chain('A'..='Z')
        .filter(holds)
        .collect();
    let printable = ('!'..='~').find(holds);
    let first = || class.ranges().first().map(ClassUnicodeRange::start);
    match usual.len() {
        0 => printable.or_else(first),
        count => Some(usual[choice % count]),
    }
}
