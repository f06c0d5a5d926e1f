use std::collections::{BTreeMap, HashSet};

use crate::olm::range;

use super::super::blob::{self, Blob};
use super::super::finding::Finding;
use super::graph::{Entry, Graph};
use super::{Index, Package, Rule, once};

/// Checks channels, their entries and their upgrade graphs.
pub(super) fn check(index: &Index<'_>, findings: &mut Vec<Finding>) {
    for (name, package) in index.packages() {
        let mut named = BTreeMap::<_, Vec<&Blob>>::new();
        for blob in &package.channels {
            if !package.is_known() {
                let message = format!("the channel's package `{name}` is not in the catalog");
                let rule = Rule::ChannelPackageUnknown;
                findings.push(Finding::in_blob(rule, blob, "/package", message));
            }
            if blob.lacks("/name") {
                let message = format!("a channel of the package `{name}` has no name");
                let rule = Rule::ChannelNameMissing;
                findings.push(Finding::in_blob(rule, blob, "/name", message));
            } else {
                named.entry(blob.name()).or_default().push(blob);
            }
            entries(blob, package, findings);
        }
        for (channel, blobs) in named {
            let what = format!("the channel `{channel}` of the package `{name}`");
            once(&blobs, Rule::ChannelDuplicate, "/name", &what, findings);
        }
    }
}

fn entries(blob: &Blob, package: &Package<'_>, findings: &mut Vec<Finding>) {
    let channel = blob.name();
    let mut report = |rule: Rule, pointer: &str, message: String| {
        findings.push(Finding::in_blob(rule, blob, pointer, message));
    };
    let items = blob.items("/entries");
    if items.is_empty() {
        let message = format!("the channel `{channel}` has no entry");
        return report(Rule::ChannelEmpty, "/entries", message);
    }
    let bundles: HashSet<_> = package.bundles.iter().map(|bundle| bundle.name()).collect();
    let mut names = HashSet::new();
    for (index, item) in items.iter().enumerate() {
        let at = |field: &str| format!("/entries/{index}/{field}");
        let name = blob::text(item, "name");
        if blob.lacks(&at("name")) {
            let message = format!("an entry of the channel `{channel}` has no name");
            report(Rule::EntryNameMissing, &at("name"), message);
        } else if !names.insert(name) {
            let message = format!("the entry `{name}` is in the channel `{channel}` twice");
            report(Rule::EntryDuplicate, &at("name"), message);
        } else if !bundles.contains(name) {
            let message =
                format!("the entry `{name}` of the channel `{channel}` has no `olm.bundle` blob");
            report(Rule::EntryWithoutBundle, &at("name"), message);
        }
        for number in 0..blob.items(&at("skips")).len() {
            let pointer = format!("/entries/{index}/skips/{number}");
            if blob.lacks(&pointer) {
                let message = format!("an item of `skips` of the entry `{name}` is empty");
                report(Rule::EntrySkipEmpty, &pointer, message);
            }
        }
        let range = blob.text(&at("skipRange"));
        if !range.is_empty()
            && let Err(reason) = range::check(range)
        {
            let message = format!("the range `{range}` of the entry `{name}` {reason}");
            report(Rule::EntrySkipRangeInvalid, &at("skipRange"), message);
        }
    }
    graph(blob, findings);
}

fn graph(blob: &Blob, findings: &mut Vec<Finding>) {
    let channel = blob.name();
    let graph = Graph::of(&Entry::all(blob));
    let place = |name: &str| {
        let mut entries = blob.items("/entries").iter();
        let index = entries.position(|entry| entry["name"] == name);
        format!("/entries/{}/name", index.unwrap_or_default())
    };
    let mut report = |rule: Rule, pointer: &str, message: String| {
        findings.push(Finding::in_blob(rule, blob, pointer, message));
    };
    if let Some(cycle) = &graph.cycle {
        let message = format!(
            "entries of the channel `{channel}` replace each other in a cycle: {}",
            listed(cycle, " -> ")
        );
        report(Rule::ChannelCycle, &place(cycle[0]), message);
    } else if graph.heads.is_empty() {
        let message =
            format!("the channel `{channel}` has no head: each entry is replaced or skipped");
        report(Rule::ChannelWithoutHead, "/entries", message);
    }
    if graph.heads.len() > 1 {
        let heads = listed(&graph.heads, ", ");
        let message = format!(
            "the channel `{channel}` has {} heads: {heads}",
            graph.heads.len()
        );
        report(Rule::ChannelSeveralHeads, &place(graph.heads[1]), message);
    }
    if let [head] = graph.heads[..] {
        for name in graph.stranded {
            let message = format!(
                "no chain of `replaces` leads from the head `{head}` of the channel `{channel}` to `{name}`"
            );
            report(Rule::ChannelStranded, &place(name), message);
        }
    }
}

/// Names as a message has them, the first ones of many.
fn listed(names: &[&str], separator: &str) -> String {
    const MOST: usize = 20;
    let mut listed: Vec<_> = names
        .iter()
        .take(MOST)
        .map(|name| format!("`{name}`"))
        .collect();
    if names.len() > MOST {
        listed.push(format!("… and {} more", names.len() - MOST));
    }
    listed.join(separator)
}
