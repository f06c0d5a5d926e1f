//! Label selectors, and the optional validators that `operator-sdk bundle validate --select-optional` chooses by one.

/// A validator that runs if it is selected.
#[derive(Debug)]
pub struct Validator {
    /// Its name, and its label `name`.
    pub name: &'static str,
    /// Its label `suite`.
    pub suite: Option<&'static str>,
    /// What it checks.
    pub description: &'static str,
}

const FRAMEWORK: Option<&str> = Some("operatorframework");

/// The optional validators, with the names that operator-sdk gives them. The last two are rop's.
pub const VALIDATORS: [Validator; 10] = [
    Validator {
        name: "operatorhubv2",
        suite: FRAMEWORK,
        description: "What OperatorHub.io shows of an operator, and removed APIs",
    },
    Validator {
        name: "capabilities",
        suite: FRAMEWORK,
        description: "The capability level",
    },
    Validator {
        name: "categories",
        suite: FRAMEWORK,
        description: "The categories",
    },
    Validator {
        name: "alpha-deprecated-apis",
        suite: FRAMEWORK,
        description: "APIs that Kubernetes removed",
    },
    Validator {
        name: "good-practices",
        suite: FRAMEWORK,
        description: "Recommendations for operators",
    },
    Validator {
        name: "operatorhub",
        suite: None,
        description: "Deprecated: operatorhubv2, capabilities and categories",
    },
    Validator {
        name: "community",
        suite: None,
        description: "Deprecated: OpenShift's community catalog and APIs removed in Kubernetes 1.22",
    },
    Validator {
        name: "multiarch",
        suite: None,
        description: "Architectures: labels and node affinities; images are not inspected",
    },
    Validator {
        name: "object",
        suite: None,
        description: "Objects that can disturb a cluster",
    },
    Validator {
        name: "olmv1",
        suite: None,
        description: "What OLM v1 supports",
    },
];

/// A label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector(Vec<Requirement>);

/// What a label must be. No values: whether it is set.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Requirement {
    key: String,
    values: Option<Vec<String>>,
    is_negated: bool,
}

impl Selector {
    /// Reads a selector such as `suite=operatorframework` or `name in (capabilities, categories)`.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut requirements = Vec::new();
        let (mut depth, mut start) = (0_usize, 0);
        for (at, letter) in text.char_indices() {
            match letter {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                ',' if depth == 0 => {
                    requirements.push(requirement(&text[start..at])?);
                    start = at + 1;
                }
                _ => {}
            }
        }
        requirements.push(requirement(&text[start..])?);
        Ok(Self(requirements))
    }

    /// The validators that it selects.
    pub fn select(&self) -> impl Iterator<Item = &'static Validator> {
        let label = |validator: &Validator, key: &str| match key {
            "name" => Some(validator.name),
            "suite" => validator.suite,
            _ => None,
        };
        VALIDATORS
            .iter()
            .filter(move |validator| self.matches(|key| label(validator, key)))
    }

    /// Whether labels, given by their keys, are what it selects.
    pub(crate) fn matches<'a>(&self, label: impl Fn(&str) -> Option<&'a str>) -> bool {
        self.0.iter().all(|requirement| {
            let label = label(&requirement.key);
            let is_met = match (&requirement.values, label) {
                (None, label) => label.is_some(),
                (Some(values), Some(label)) => values.iter().any(|value| value == label),
                (Some(_), None) => false,
            };
            is_met != requirement.is_negated
        })
    }
}

fn requirement(text: &str) -> Result<Requirement, String> {
    let text = text.trim();
    let operators = [("!=", true), ("==", false), ("=", false)];
    for (operator, is_negated) in operators {
        if let Some((key, value)) = text.split_once(operator) {
            let values = Some(vec![word(value)?]);
            let key = word(key)?;
            return Ok(Requirement {
                key,
                values,
                is_negated,
            });
        }
    }
    for (operator, is_negated) in [(" notin ", true), (" in ", false)] {
        if let Some((key, values)) = text.split_once(operator) {
            let values = values.trim().strip_prefix('(');
            let values = values.and_then(|values| values.strip_suffix(')'));
            let Some(values) = values else {
                return Err(format!("`{text}` has no list in `(` and `)`"));
            };
            let values: Result<_, _> = values.split(',').map(word).collect();
            let (key, values) = (word(key)?, Some(values?));
            return Ok(Requirement {
                key,
                values,
                is_negated,
            });
        }
    }
    let (key, is_negated) = match text.strip_prefix('!') {
        Some(key) => (word(key)?, true),
        None => (word(text)?, false),
    };
    let values = None;
    Ok(Requirement {
        key,
        values,
        is_negated,
    })
}

fn word(text: &str) -> Result<String, String> {
    let text = text.trim();
    crate::dns::qualified_name(text).map_err(|rule| format!("the label `{text}` {rule}"))?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selects_as_kubernetes_does() {
        let names = |text: &str| {
            let selector = Selector::parse(text).expect(text);
            let names = selector.select().map(|validator| validator.name);
            names.collect::<Vec<_>>().join(" ")
        };
        let framework =
            "operatorhubv2 capabilities categories alpha-deprecated-apis good-practices";
        let others = "operatorhub community multiarch object olmv1";
        for (selector, expected) in [
            ("name=multiarch", "multiarch"),
            ("name==multiarch", "multiarch"),
            ("suite=operatorframework", framework),
            ("suite", framework),
            ("!suite", others),
            ("suite!=operatorframework", others),
            ("name in (community, object)", "community object"),
            (
                "suite,name notin (capabilities)",
                &framework.replace(" capabilities", ""),
            ),
            ("name=nothing", ""),
            ("other=x", ""),
        ] {
            assert_eq!(names(selector), expected, "{selector}");
        }
        for wrong in ["", "name=", "=x", "name in x", "a b", "name=x,,"] {
            assert!(Selector::parse(wrong).is_err(), "{wrong}");
        }
    }
}
