//! Rules, and few of many.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// A `PolicyRule` of `rbac.authorization.k8s.io/v1`, its lists sorted and without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Rule {
    /// Empty in a rule about URLs. The core group is the empty string.
    #[serde(rename = "apiGroups", skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) groups: BTreeSet<String>,
    #[serde(rename = "nonResourceURLs", skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) urls: BTreeSet<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) resource_names: BTreeSet<String>,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(super) resources: BTreeSet<String>,
    pub(super) verbs: BTreeSet<String>,
}

impl Rule {
    /// How many values its resources have, each in a rule of its own as [`merge`] takes them apart.
    pub(super) fn size(&self) -> usize {
        let values = self.groups.len() + self.resource_names.len() + self.verbs.len();
        self.resources.len().saturating_mul(values)
    }
}

type Field = fn(&mut Rule) -> &mut BTreeSet<String>;

const VERBS: Field = |rule| &mut rule.verbs;
const RESOURCES: Field = |rule| &mut rule.resources;
const GROUPS: Field = |rule| &mut rule.groups;
const URLS: Field = |rule| &mut rule.urls;

/// Merges `rules` into few that grant exactly the same, in the order of controller-gen
/// (`pkg/rbac/parser.go` of `sigs.k8s.io/controller-tools`).
///
/// Its steps are controller-gen's, taken again until nothing changes, so that merging what is merged
/// changes nothing: now and then a step makes room for one before it. Where two of the rules that it
/// makes differ in their verbs alone, controller-gen keeps either of them; here they become one.
pub(super) fn merge(rules: &[Rule]) -> Vec<Rule> {
    let mut merged = pass(rules);
    loop {
        let again = pass(&merged);
        if again == merged {
            return merged;
        }
        merged = again;
    }
}

fn pass(rules: &[Rule]) -> Vec<Rule> {
    let rules = rules.iter().flat_map(split).collect();
    let mut rules = [VERBS, RESOURCES, GROUPS, URLS]
        .into_iter()
        .fold(rules, join);
    for rule in &mut rules {
        if rule.verbs.contains("*") {
            rule.verbs = BTreeSet::from(["*".to_owned()]);
        }
    }
    rules.sort_by_cached_key(order);
    rules
}

/// A rule for each resource.
fn split(rule: &Rule) -> Vec<Rule> {
    if rule.resources.is_empty() {
        return vec![rule.clone()];
    }
    let split = |resource: &String| Rule {
        resources: BTreeSet::from([resource.clone()]),
        ..rule.clone()
    };
    rule.resources.iter().map(split).collect()
}

/// Makes one rule of those that differ in `field` alone.
fn join(rules: Vec<Rule>, field: Field) -> Vec<Rule> {
    let mut joined: BTreeMap<Rule, BTreeSet<String>> = BTreeMap::new();
    for mut rule in rules {
        let values = std::mem::take(field(&mut rule));
        joined.entry(rule).or_default().extend(values);
    }
    let whole = |(mut rule, values)| {
        *field(&mut rule) = values;
        rule
    };
    joined.into_iter().map(whole).collect()
}

/// What controller-gen sorts by.
fn order(rule: &Rule) -> String {
    let lists = [
        &rule.groups,
        &rule.resources,
        &rule.resource_names,
        &rule.urls,
    ];
    let joined = lists.map(|list| {
        list.iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("&")
    });
    joined.join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules in a short form: `groups resources [names] verbs`, or `urls verbs`.
    fn rules(text: &[&str]) -> Vec<Rule> {
        let set = |list: &str| -> BTreeSet<String> {
            list.split(',').map(|v| v.replace("core", "")).collect()
        };
        let rule = |line: &&str| match line.split(' ').collect::<Vec<_>>()[..] {
            [urls, verbs] => Rule {
                urls: set(urls),
                verbs: set(verbs),
                ..Rule::default()
            },
            [groups, resources, verbs] => Rule {
                groups: set(groups),
                resources: set(resources),
                verbs: set(verbs),
                ..Rule::default()
            },
            [groups, resources, names, verbs] => Rule {
                groups: set(groups),
                resources: set(resources),
                resource_names: set(names),
                verbs: set(verbs),
                ..Rule::default()
            },
            _ => panic!("{line}"),
        };
        text.iter().map(rule).collect()
    }

    fn check(given: &[&str], expected: &[&str]) {
        assert_eq!(merge(&rules(given)), rules(expected), "{given:?}");
    }

    #[test]
    fn verbs_of_the_same_resources_are_joined() {
        check(&["a x get", "a x list,get"], &["a x get,list"]);
        check(&["a x,y get", "a y list"], &["a x get", "a y get,list"]);
    }

    #[test]
    fn resources_with_the_same_verbs_are_joined() {
        check(&["a y get", "a x get"], &["a x,y get"]);
        check(&["a x get", "a y list"], &["a x get", "a y list"]);
    }

    #[test]
    fn groups_with_the_same_resources_and_verbs_are_joined() {
        check(&["b x get", "a x get"], &["a,b x get"]);
        check(&["a x get", "b y get"], &["a x get", "b y get"]);
    }

    #[test]
    fn urls_with_the_same_verbs_are_joined() {
        check(&["/b get", "/a get"], &["/a,/b get"]);
        check(&["/b get", "/a head"], &["/a head", "/b get"]);
    }

    #[test]
    fn names_keep_rules_apart() {
        check(
            &["a x n get", "a x get", "a y n get", "a x m get"],
            &["a x get", "a x m get", "a x,y n get"],
        );
    }

    #[test]
    fn any_verb_stands_for_all() {
        check(&["a x get,*,list"], &["a x *"]);
        check(&["a x get,*", "a y *"], &["a x,y *"]);
    }

    #[test]
    fn rules_are_sorted_by_groups_then_resources_then_names_then_urls() {
        check(
            &["b x get", "a z list", "core y get", "/u get", "a w watch"],
            &["/u get", "core y get", "a w watch", "a z list", "b x get"],
        );
        check(&["a y m list", "a x n get"], &["a x n get", "a y m list"]);
    }

    #[test]
    fn no_grant_is_lost_where_a_step_makes_two_rules_alike() {
        check(&["a x get", "b x get", "a,b x list"], &["a,b x get,list"]);
        check(&["/a get", "/b get", "/a,/b head"], &["/a,/b get,head"]);
    }

    #[test]
    fn a_later_step_may_make_room_for_an_earlier_one() {
        check(&["a x get", "b x get", "a,b y get"], &["a,b x,y get"]);
    }

    #[test]
    fn the_order_does_not_matter_and_merging_again_changes_nothing() {
        let all = rules(&[
            "a,b x,y get",
            "a x list",
            "b x,z get",
            "a x n get",
            "c x,y *",
            "c x get",
            "/a get",
            "/b get",
            "/a,/b head",
        ]);
        for mask in 0_u32..1 << all.len() {
            let chosen = || all.iter().enumerate().filter(|(i, _)| mask >> i & 1 == 1);
            let forward: Vec<Rule> = chosen().map(|(_, rule)| rule.clone()).collect();
            let backward: Vec<Rule> = chosen().rev().map(|(_, rule)| rule.clone()).collect();
            let merged = merge(&forward);
            assert_eq!(merge(&backward), merged, "{mask:b}");
            assert_eq!(pass(&merged), merged, "{mask:b}");
        }
    }

    #[test]
    fn exactly_what_was_granted_is_granted() {
        let all = rules(&[
            "a,b x,y get",
            "a x list",
            "b x,z get",
            "c x get",
            "a x n get",
            "b y m,n get",
            "/a get",
            "/b get",
            "/a,/b head",
        ]);
        for mask in 0_u32..1 << all.len() {
            let chosen: Vec<Rule> = all
                .iter()
                .enumerate()
                .filter(|(i, _)| mask >> i & 1 == 1)
                .map(|(_, rule)| rule.clone())
                .collect();
            assert_eq!(grants(&merge(&chosen)), grants(&chosen), "{mask:b}");
        }
    }

    /// Every single thing that rules grant, but for what the wildcard covers.
    fn grants(rules: &[Rule]) -> BTreeSet<[String; 4]> {
        let or_none = |set: &BTreeSet<String>| {
            let none = set.is_empty().then(|| "-".to_owned());
            set.iter().cloned().chain(none).collect::<Vec<_>>()
        };
        let mut grants = BTreeSet::new();
        for rule in rules {
            let names = or_none(&rule.resource_names).join(",");
            for group in or_none(&rule.groups) {
                for what in rule.resources.iter().chain(&rule.urls) {
                    for verb in &rule.verbs {
                        grants.insert([group.clone(), what.clone(), names.clone(), verb.clone()]);
                    }
                }
            }
        }
        grants
    }
}
