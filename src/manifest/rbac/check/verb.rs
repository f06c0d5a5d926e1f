//! Verbs on resources.

use super::super::catalog::{Catalog, Origin};
use super::super::fault::Fault;
use super::super::rule::Rule;
use super::super::suggest;
use super::special;

/// The verbs of requests (<https://kubernetes.io/docs/reference/access-authn-authz/authorization/>).
const REQUEST: [&str; 8] = [
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
];

/// What other words for a verb there are.
const SYNONYMS: [(&str, &str); 8] = [
    ("all", "*"),
    ("edit", "update"),
    ("modify", "update"),
    ("post", "create"),
    ("put", "update"),
    ("read", "get"),
    ("remove", "delete"),
    ("write", "update"),
];

/// Verbs that nobody asks for. In groups that nobody vouches for any verb may be, so that only what
/// is rather a slip is refused there. Kinds of the project's own may give the special verbs a
/// meaning.
pub(super) fn check(rule: &Rule, catalog: &Catalog) -> Vec<Fault> {
    let from = |origin| rule.groups.iter().any(|g| catalog.origin(g) == origin);
    let (foreign, own) = (from(Origin::Foreign), from(Origin::Own));
    let fault = |verb: &String| {
        if verb == "*" || REQUEST.contains(&verb.as_str()) {
            return None;
        }
        if foreign {
            let meant = REQUEST.iter().find(|known| suggest::is_slip(verb, known))?;
            return Some(unknown(verb, Some(meant)));
        }
        let places: Vec<_> = special::places(verb).collect();
        if places.is_empty() {
            return Some(unknown(verb, meant(verb)));
        }
        let fits = own || places.iter().any(|place| place.is_in(rule));
        (!fits).then(|| special::misplaced(verb, &places))
    };
    rule.verbs.iter().filter_map(fault).collect()
}

fn meant(verb: &str) -> Option<&'static str> {
    let lower = verb.to_lowercase();
    let synonym = SYNONYMS.iter().find(|(word, _)| *word == lower);
    synonym
        .map(|(_, verb)| *verb)
        .or_else(|| suggest::nearest(verb, REQUEST.into_iter().chain(special::verbs())))
}

fn unknown(verb: &str, meant: Option<&str>) -> Fault {
    Fault::new(format!("unknown verb `{verb}`")).hint(match meant {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("the verbs are {} and `*`", REQUEST.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{accepted, refused};
    use super::*;

    #[test]
    fn verbs_of_requests_are_accepted_everywhere() {
        for group in ["apps", "app.example.com", "cert-manager.io", "*"] {
            for verb in REQUEST.into_iter().chain(["*"]) {
                accepted(check, &format!("groups={group},resources=a,verbs={verb}"));
            }
        }
    }

    #[test]
    fn unknown_verbs_are_refused_where_all_are_known() {
        for (verb, hint) in [
            ("gett", "did you mean `get`?"),
            ("Get", "did you mean `get`?"),
            ("wacth", "did you mean `watch`?"),
            ("updates", "did you mean `update`?"),
            ("escallate", "did you mean `escalate`?"),
            ("put", "did you mean `update`?"),
            ("READ", "did you mean `get`?"),
            ("all", "did you mean `*`?"),
            (
                "impersonate:anybody",
                "the verbs are get, list, watch, create, update, patch, delete, deletecollection \
                 and `*`",
            ),
        ] {
            for group in ["apps", "core", "app.example.com", "apps;app.example.com"] {
                refused(
                    check,
                    &format!("groups={group},resources=a,verbs={verb}"),
                    &format!("unknown verb `{verb}`"),
                    hint,
                );
            }
        }
    }

    #[test]
    fn only_slips_are_refused_in_foreign_groups() {
        for groups in ["cert-manager.io", "*", "apps;cert-manager.io"] {
            for verb in ["set", "match", "sync", "use", "bind", "impersonate", "put"] {
                accepted(check, &format!("groups={groups},resources=a,verbs={verb}"));
            }
            for (verb, meant) in [("gett", "get"), ("LIST", "list"), ("delte", "delete")] {
                refused(
                    check,
                    &format!("groups={groups},resources=a,verbs={verb}"),
                    &format!("unknown verb `{verb}`"),
                    &format!("did you mean `{meant}`?"),
                );
            }
        }
    }
}
