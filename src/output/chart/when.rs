//! The condition of a part of a manifest.

/// All of these hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct When(Vec<Test>);

/// Something that values decide.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Test {
    /// A value is set.
    On(String),
    /// A value is not set.
    Off(String),
    /// One of these values is set.
    AnyOn(Vec<String>),
    /// One of these values is not set.
    AnyOff(Vec<String>),
    /// The condition does not hold.
    Not(When),
}

impl When {
    /// A value is set.
    pub(super) fn on(value: &str) -> Self {
        Self(vec![Test::On(value.to_owned())])
    }

    /// A value is not set.
    pub(super) fn off(value: &str) -> Self {
        Self(vec![Test::Off(value.to_owned())])
    }

    /// One of some values is set.
    pub(super) fn any_on(values: Vec<String>) -> Self {
        match &values[..] {
            [value] => Self::on(value),
            _ => Self(vec![Test::AnyOn(values)]),
        }
    }

    /// The condition does not hold. What always holds has no opposite.
    pub(super) fn negated(&self) -> Self {
        let off = |value: &String| Test::AnyOff(vec![value.clone()]);
        match &self.0[..] {
            [] => Self::default(),
            [Test::AnyOn(values)] => Self(values.iter().map(off).collect()),
            tests => {
                let values: Option<Vec<_>> = tests
                    .iter()
                    .map(|test| match test {
                        Test::On(value) => Some(value.clone()),
                        _ => None,
                    })
                    .collect();
                Self(vec![
                    values.map_or_else(|| Test::Not(self.clone()), Test::AnyOff),
                ])
            }
        }
    }

    /// Both conditions hold.
    #[must_use]
    pub(super) fn and(mut self, other: &Self) -> Self {
        for test in &other.0 {
            if !self.0.contains(test) {
                self.0.push(test.clone());
            }
        }
        self
    }

    /// What is left of the condition where another one holds.
    #[must_use]
    pub(super) fn without(&self, other: &Self) -> Self {
        let tests = self.0.iter().filter(|test| !other.0.contains(test));
        Self(tests.cloned().collect())
    }

    pub(super) fn is_always(&self) -> bool {
        self.0.is_empty()
    }

    /// The values that must be set.
    pub(super) fn values(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|test| match test {
            Test::On(value) => Some(value.as_str()),
            Test::Off(_) | Test::AnyOn(_) | Test::AnyOff(_) | Test::Not(_) => None,
        })
    }

    /// The expression of a template. `scope` is `$` where the dot is something else than the root.
    pub(super) fn expression(&self, scope: &str) -> String {
        let tests: Vec<_> = self.0.iter().map(|test| test.expression(scope)).collect();
        match &tests[..] {
            [test] => test.clone(),
            tests => format!("and {}", arguments(tests)),
        }
    }

    /// The expression for one of several conditions; none if one always holds.
    pub(super) fn any<'a>(
        conditions: impl Iterator<Item = &'a Self>,
        scope: &str,
    ) -> Option<String> {
        let mut all: Vec<String> = Vec::new();
        for when in conditions {
            if when.is_always() {
                return None;
            }
            let expression = when.expression(scope);
            if !all.contains(&expression) {
                all.push(expression);
            }
        }
        match &all[..] {
            [] => None,
            [condition] => Some(condition.clone()),
            all => Some(format!("or {}", arguments(all))),
        }
    }
}

impl Test {
    fn expression(&self, scope: &str) -> String {
        match self {
            Self::On(value) => format!("{scope}.Values.{value}"),
            Self::Off(value) => format!("not {scope}.Values.{value}"),
            Self::AnyOn(values) => format!("or {}", arguments(&all(values, scope))),
            Self::AnyOff(values) => match &all(values, scope)[..] {
                [value] => format!("not {value}"),
                all => format!("not (and {})", arguments(all)),
            },
            Self::Not(when) => format!("not ({})", when.expression(scope)),
        }
    }
}

fn all(values: &[String], scope: &str) -> Vec<String> {
    let all = values.iter().map(|value| format!("{scope}.Values.{value}"));
    all.collect()
}

/// Expressions as arguments of a function.
fn arguments(expressions: &[String]) -> String {
    let argument = |expression: &String| {
        if expression.contains(' ') {
            format!("({expression})")
        } else {
            expression.clone()
        }
    };
    let all: Vec<_> = expressions.iter().map(argument).collect();
    all.join(" ")
}
