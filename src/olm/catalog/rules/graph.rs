//! The upgrade graph of a channel, as opm sees it.

use std::collections::{HashMap, HashSet};

use super::super::blob::{self, Blob};

/// An entry of a channel.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    name: &'a str,
    replaces: &'a str,
    skips: Vec<&'a str>,
}

impl<'a> Entry<'a> {
    /// The entries of a channel that have a name, each once.
    pub(super) fn all(channel: &'a Blob) -> Vec<Self> {
        let mut names = HashSet::new();
        let entries = channel.items("/entries").iter().map(|entry| Self {
            name: blob::text(entry, "name"),
            replaces: blob::text(entry, "replaces"),
            skips: entry["skips"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(serde_json::Value::as_str)
                .collect(),
        });
        entries
            .filter(|entry| !entry.name.is_empty() && names.insert(entry.name))
            .collect()
    }
}

/// What is said of a graph.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Graph<'a> {
    /// The entries that no other replaces or skips, by name.
    pub(super) heads: Vec<&'a str>,
    /// Entries that replace each other; the first is also the last.
    pub(super) cycle: Option<Vec<&'a str>>,
    /// Entries that neither the head leads to nor an entry skips, if there is one head.
    pub(super) stranded: Vec<&'a str>,
}

impl<'a> Graph<'a> {
    pub(super) fn of(entries: &[Entry<'a>]) -> Self {
        let replaces: HashMap<_, _> = entries.iter().map(|it| (it.name, it.replaces)).collect();
        let skipped: HashSet<_> = entries.iter().flat_map(|it| it.skips.clone()).collect();
        let replaced: HashSet<_> = entries.iter().map(|it| it.replaces).collect();
        let is_head = |name: &&str| !replaced.contains(name) && !skipped.contains(name);
        let mut heads: Vec<_> = entries.iter().map(|it| it.name).filter(is_head).collect();
        heads.sort_unstable();
        let mut graph = Self {
            heads,
            ..Self::default()
        };
        // An edge to a skipped entry is not followed.
        let next = |name: &str| {
            let next = replaces.get(name).copied().unwrap_or_default();
            let is_followed = replaces.contains_key(next) && !skipped.contains(next);
            is_followed.then_some(next)
        };
        let mut seen = HashSet::new();
        if let [head] = graph.heads[..] {
            let mut at = Some(head);
            while let Some(name) = at.filter(|name| seen.insert(*name)) {
                at = next(name);
            }
            let is_stranded = |name: &&str| !seen.contains(name) && !skipped.contains(name);
            let names = entries.iter().map(|it| it.name);
            graph.stranded = names.filter(is_stranded).collect();
            graph.stranded.sort_unstable();
        }
        graph.cycle = cycle(entries, next);
        if let Some(cycle) = &graph.cycle {
            graph.stranded.retain(|name| !cycle.contains(name));
        }
        graph
    }
}

/// The first cycle that is found, from its first entry by name.
fn cycle<'a>(
    entries: &[Entry<'a>],
    next: impl Fn(&str) -> Option<&'a str>,
) -> Option<Vec<&'a str>> {
    // From which entry each was reached.
    let mut reached: HashMap<&str, usize> = HashMap::new();
    for (number, entry) in entries.iter().enumerate() {
        let mut at = Some(entry.name);
        while let Some(name) = at {
            match reached.get(name) {
                Some(from) if *from == number => {
                    let mut cycle = vec![name];
                    let mut at = next(name);
                    while let Some(other) = at.filter(|other| *other != name) {
                        cycle.push(other);
                        at = next(other);
                    }
                    let first = (0..cycle.len()).min_by_key(|index| cycle[*index]);
                    cycle.rotate_left(first.unwrap_or_default());
                    cycle.push(cycle[0]);
                    return Some(cycle);
                }
                Some(_) => break,
                None => drop(reached.insert(name, number)),
            }
            at = next(name);
        }
    }
    None
}

/// The one head of a channel, if it has one.
pub(in crate::olm::catalog) fn head(channel: &Blob) -> Option<String> {
    match Graph::of(&Entry::all(channel)).heads[..] {
        [head] => Some(head.to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries such as `b>a -x,y`: `b` replaces `a`, and skips `x` and `y`.
    fn graph(entries: &'static [&'static str]) -> Graph<'static> {
        let parse = |entry: &&'static str| {
            let (edge, skips) = entry.split_once(" -").unwrap_or((entry, ""));
            let (name, replaces) = edge.split_once('>').unwrap_or((edge, ""));
            let skips = skips.split(',').filter(|skip| !skip.is_empty()).collect();
            Entry {
                name,
                replaces,
                skips,
            }
        };
        let entries: Vec<_> = entries.iter().map(parse).collect();
        Graph::of(&entries)
    }

    /// Entries, heads, cycle and what is stranded.
    type Names = &'static [&'static str];
    type Row = (Names, Names, Names, Names);

    #[test]
    fn graphs_are_judged_as_opm_does() {
        let graphs: [Row; 13] = [
            (&["a"], &["a"], &[], &[]),
            (&["b>a", "a"], &["b"], &[], &[]),
            // The last may replace what is not in the channel.
            (&["b>a"], &["b"], &[], &[]),
            (&["c>a -b", "b", "a"], &["c"], &[], &[]),
            (&["a", "b"], &["a", "b"], &[], &[]),
            (&["a>b", "b>a"], &[], &["a", "b", "a"], &[]),
            (&["a>a"], &[], &["a", "a"], &[]),
            (&["c>b", "b>a", "a>b"], &["c"], &["a", "b", "a"], &[]),
            (&["b>a", "a -b"], &[], &[], &[]),
            // A cycle that the head does not lead to.
            (&["c", "b>a", "a>b"], &["c"], &["a", "b", "a"], &[]),
            (&["d>c -b", "c", "b>a", "a"], &["d"], &[], &["a"]),
            // An edge to a skipped entry is not followed.
            (&["c>b -b", "b>a", "a"], &["c"], &[], &["a"]),
            (&["c>b -a", "b>a", "a>b"], &["c"], &[], &[]),
        ];
        for (entries, heads, cycle, stranded) in graphs {
            let graph = graph(entries);
            assert_eq!(graph.heads, heads, "{entries:?}");
            assert_eq!(graph.cycle.unwrap_or_default(), cycle, "{entries:?}");
            assert_eq!(graph.stranded, stranded, "{entries:?}");
        }
    }
}
