//! The condition of a part of a manifest.

/// All of these hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct When(Vec<Test>);

/// Something that values decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Test {
    /// A value is set.
    On(String),
    /// A value is not set.
    Off(String),
    /// One of these values is not set.
    AnyOff(Vec<String>),
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

    /// Both conditions hold.
    #[must_use]
    pub(super) fn and(mut self, other: &Self) -> Self {
        for test in &other.0 {
            self.add(test.clone());
        }
        self
    }

    pub(super) fn add(&mut self, test: Test) {
        if !self.0.contains(&test) {
            self.0.push(test);
        }
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
            Test::Off(_) | Test::AnyOff(_) => None,
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

impl FromIterator<Test> for When {
    fn from_iter<I: IntoIterator<Item = Test>>(tests: I) -> Self {
        Self(tests.into_iter().collect())
    }
}

impl Test {
    fn expression(&self, scope: &str) -> String {
        match self {
            Self::On(value) => format!("{scope}.Values.{value}"),
            Self::Off(value) => format!("not {scope}.Values.{value}"),
            Self::AnyOff(values) => {
                let all: Vec<_> = values
                    .iter()
                    .map(|value| format!("{scope}.Values.{value}"))
                    .collect();
                match &all[..] {
                    [value] => format!("not {value}"),
                    all => format!("not (and {})", arguments(all)),
                }
            }
        }
    }
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
