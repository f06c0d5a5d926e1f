//! What an API server refuses in a CRD, found without one: the rules of `apiextensions.k8s.io/v1`. What cannot be
//! judged here passes.

mod cel;
mod columns;
mod conversion;
mod default;
mod keywords;
mod list_type;
mod lost;
mod names;
mod nested;
mod pattern;
mod problem;
mod rule;
mod schema;
mod structural;
#[cfg(test)]
mod table;
mod validate;
mod version;

pub(crate) use cel::constraint_fault;
pub(crate) use lost::{empty_objects, lost};
pub(crate) use problem::Problem;

use serde_json::Value;

use problem::Report;

/// All that an API server would refuse in a CRD.
pub(crate) fn problems(crd: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    names::check(crd, &mut Report::new("", &mut problems));
    conversion::check(crd, &mut Report::new("", &mut problems));
    for version in schema::list(&crd["spec"]["versions"]) {
        let name = schema::text(&version["name"]);
        version::check(version, &mut Report::new(name, &mut problems));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{problems, table};

    #[test]
    fn judges_as_an_api_server_does() {
        let mut wrong = Vec::new();
        for row in table::rows() {
            let found: Vec<_> = problems(&row.crd).iter().map(ToString::to_string).collect();
            let is_right = match &row.refused {
                None => found.is_empty(),
                Some(expected) => found.iter().any(|problem| problem.contains(expected)),
            };
            if !is_right {
                wrong.push(format!("{}: {:?}: {found:?}", row.name, row.refused));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
