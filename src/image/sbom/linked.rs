use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::array;

/// The packages that are linked into the operator, each with what it depends on: neither those for
/// tests nor those that run when it is built, as macros do.
pub(super) fn linked<'a>(
    metadata: &'a Value,
    package: &str,
) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let nodes: BTreeMap<&str, &Value> = array(&metadata["resolve"]["nodes"])
        .filter_map(|node| Some((node["id"].as_str()?, node)))
        .collect();
    let macros: BTreeSet<&str> = array(&metadata["packages"])
        .filter(|package| {
            array(&package["targets"])
                .any(|target| array(&target["kind"]).any(|kind| kind == "proc-macro"))
        })
        .filter_map(|package| package["id"].as_str())
        .collect();
    let start = array(&metadata["packages"])
        .find(|listed| listed["name"] == package && listed["source"].is_null())
        .and_then(|listed| listed["id"].as_str());
    let mut linked = BTreeMap::new();
    let mut waiting: Vec<&str> = start.into_iter().collect();
    while let Some(id) = waiting.pop() {
        let Some(node) = nodes.get(id).filter(|_| !linked.contains_key(id)) else {
            continue;
        };
        let dependencies: BTreeSet<&str> = array(&node["deps"])
            .filter(|dependency| array(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null()))
            .filter_map(|dependency| dependency["pkg"].as_str())
            .filter(|id| !macros.contains(id))
            .collect();
        waiting.extend(&dependencies);
        linked.insert(id, dependencies);
    }
    linked
}
