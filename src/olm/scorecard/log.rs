//! What a test in a cluster prints: its results as JSON.

use serde::Deserialize;

use super::result::TestResult;
use super::state::State;

/// So many characters of a log are kept.
const LONGEST: usize = 64 << 10;

#[derive(Deserialize)]
struct Status {
    #[serde(default)]
    results: Option<Vec<Printed>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Printed {
    name: Option<String>,
    log: Option<String>,
    state: Option<String>,
    errors: Option<Vec<String>>,
    suggestions: Option<Vec<String>>,
    #[serde(rename = "creationTimestamp")]
    created: Option<String>,
}

impl TestResult {
    /// Reads the log of a test's container, which may have ended for another reason than its own.
    pub(crate) fn of_log(log: &str, end: Option<&str>) -> Vec<Self> {
        let failed = |error: String| {
            let suggestion = "let the test print a TestStatus of scorecard.operatorframework.io/v1alpha3 in JSON, \
                and nothing else, to stdout and stderr";
            let log = log.chars().take(LONGEST).collect();
            let mut result = Self::failed(error, suggestion.to_owned(), log);
            result.errors.extend(end.map(str::to_owned));
            vec![result]
        };
        match serde_json::from_str::<Status>(log) {
            Err(error) => failed(format!(
                "the log of the test is not its result in JSON: {error}"
            )),
            Ok(status) => match status.results {
                Some(results) if !results.is_empty() => {
                    results.into_iter().map(Self::printed).collect()
                }
                _ => failed("the test printed no results".to_owned()),
            },
        }
    }

    fn printed(printed: Printed) -> Self {
        let mut errors = printed.errors.unwrap_or_default();
        let state = match printed.state.unwrap_or_default().as_str() {
            "pass" => State::Pass,
            "fail" => State::Fail,
            "error" => State::Error,
            other => {
                errors.push(format!("the test printed the unknown state `{other}`"));
                State::Error
            }
        };
        Self {
            name: printed.name.unwrap_or_default(),
            state,
            log: printed.log.unwrap_or_default(),
            errors,
            suggestions: printed.suggestions.unwrap_or_default(),
            created: printed.created,
            findings: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_from_a_log() {
        let log = r#"{"results": [{"name": "a", "state": "pass", "creationTimestamp": null},
            {"name": "b", "state": "fail", "errors": ["e"], "suggestions": ["s"], "log": "l"}, {"state": "maybe"}]}"#;
        let results = TestResult::of_log(log, None);
        let states: Vec<_> = results.iter().map(|result| result.state).collect();
        assert_eq!(states, [State::Pass, State::Fail, State::Error]);
        assert_eq!(results[1].errors, ["e"]);
        assert_eq!(
            results[2].errors,
            ["the test printed the unknown state `maybe`"]
        );
    }

    /// operator-sdk takes a test without results for one that passes.
    #[test]
    fn logs_without_results_fail() {
        for log in [
            "",
            "{}",
            "null",
            "[]",
            r#"{"results": []}"#,
            r#"{"results": null}"#,
            "panic: a",
            r#"{"results": [{"state": "pass"}]} and more"#,
            r#"{"results": [{"state": 1}]}"#,
        ] {
            let results = TestResult::of_log(log, None);
            assert_eq!(results.len(), 1, "{log}");
            assert_eq!(results[0].state, State::Fail, "{log}");
            assert_eq!(results[0].log, log);
        }
    }
}
