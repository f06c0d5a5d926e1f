use std::collections::BTreeSet;

/// Names of places in a page, each one once.
#[derive(Debug, Default)]
pub(super) struct Anchors(BTreeSet<String>);

impl Anchors {
    /// A name from words: lowercase letters, digits and `-`.
    pub(super) fn of(&mut self, words: &str) -> String {
        let mut name = String::new();
        for c in words.chars() {
            match c.to_ascii_lowercase() {
                c if c.is_ascii_alphanumeric() => name.push(c),
                _ if !name.ends_with('-') => name.push('-'),
                _ => {}
            }
        }
        let name = name.trim_matches('-').to_owned();
        let numbered = (2..).map(|number| format!("{name}-{number}"));
        let mut names = [name.clone()].into_iter().chain(numbered);
        names
            .find(|name| self.0.insert(name.clone()))
            .unwrap_or(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_occurs_twice() {
        let mut anchors = Anchors::default();
        let names = [
            "App v1 spec.a-b",
            "App v1 spec.a.b",
            "App v1 spec[].a_b",
            "\"><b>",
            "é",
        ]
        .map(|words| anchors.of(words));
        assert_eq!(
            names,
            [
                "app-v1-spec-a-b",
                "app-v1-spec-a-b-2",
                "app-v1-spec-a-b-3",
                "b",
                ""
            ]
        );
    }
}
