//! The history of a simulation, request by request.

use std::fmt::Write;
use std::hash::BuildHasher;
use std::sync::Arc;
use std::time::Duration;

use foldhash::quality::FixedState;
use ring::digest::{Context, SHA256};

use super::target::Target;

/// An event of the history.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// Since the beginning of the simulation.
    pub(super) at: Duration,
    pub(super) who: Arc<str>,
    pub(super) did: String,
    pub(super) target: Option<Target>,
    pub(super) outcome: String,
    /// A hash of the content, only for the digest.
    pub(super) content: u64,
}

impl Entry {
    /// The event for programs: milliseconds, who did what to which object, and the outcome.
    pub(super) fn row(&self) -> (u128, &str, &str, String, &str) {
        let target = self.target.as_ref().map(ToString::to_string);
        let milliseconds = self.at.as_millis();
        (
            milliseconds,
            &self.who,
            &self.did,
            target.unwrap_or_default(),
            &self.outcome,
        )
    }
}

/// All events, and their digest.
pub(super) struct History {
    entries: Vec<Entry>,
    digest: Context,
}

impl Default for History {
    fn default() -> Self {
        Self {
            entries: Vec::new(),
            digest: Context::new(&SHA256),
        }
    }
}

impl History {
    /// Adds an event. `content` is only part of the digest.
    pub(super) fn add(&mut self, mut entry: Entry, content: &[u8]) {
        entry.content = FixedState::default().hash_one(content);
        let mut line = format!("{} {} {} ", entry.at.as_nanos(), entry.who, entry.did);
        if let Some(target) = &entry.target {
            let _ = write!(line, "{target} ");
        }
        line.push_str(&entry.outcome);
        self.digest.update(line.as_bytes());
        self.digest.update(content);
        self.entries.push(entry);
    }

    /// The digest, equal for equal histories.
    pub(super) fn digest(&self) -> String {
        let sum = self.digest.clone().finish();
        sum.as_ref()
            .iter()
            .take(16)
            .fold(String::new(), |mut text, byte| {
                let _ = write!(text, "{byte:02x}");
                text
            })
    }

    /// Takes all events.
    pub(super) fn take(&mut self) -> Vec<Entry> {
        std::mem::take(&mut self.entries)
    }

    /// A table of the events of some objects.
    pub(super) fn table(&self, concerns: impl Fn(&Target) -> bool, most: usize) -> String {
        let mut rows: Vec<&Entry> = self.entries.iter().collect();
        rows.retain(|entry| entry.target.as_ref().is_none_or(&concerns));
        let left_out = rows.len().saturating_sub(most);
        let mut table = String::new();
        if left_out > 0 {
            let _ = writeln!(table, "  … {left_out} earlier lines");
        }
        for entry in &rows[left_out..] {
            let target = entry
                .target
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default();
            let _ = writeln!(
                table,
                "  {:>9.3}s  {:<12} {:<10} {:<48} {:04x} {}",
                entry.at.as_secs_f64(),
                entry.who,
                entry.did,
                target,
                entry.content & 0xffff,
                entry.outcome
            );
        }
        table
    }
}
