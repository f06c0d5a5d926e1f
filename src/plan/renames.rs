//! Names that change, in what a user wrote too.

use std::cmp::Reverse;

use super::is_rust;

/// Names that change with what a project is called, each with what stands in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Renames {
    /// Those of Kubernetes, which stand anywhere: groups, namespaces.
    pub(crate) names: Vec<(String, String)>,
    /// Paths in Rust code.
    pub(crate) paths: Vec<(String, String)>,
    /// Packages in a Cargo.toml.
    pub(crate) packages: Vec<(String, String)>,
}

impl Renames {
    /// Whether all keep their names.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty() && self.packages.is_empty()
    }

    /// The text of the file at `path`, with the new names.
    pub(crate) fn apply(&self, path: &str, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        let paths = self.paths.iter().filter(|_| is_rust(path));
        let is_manifest = path == "Cargo.toml" || path.ends_with("/Cargo.toml");
        let packages = self.packages.iter().filter(|_| is_manifest);
        with_words(text, self.names.iter().chain(paths).chain(packages))
    }
}

/// A text with words in place of others, wherever those stand by themselves. Where two begin, the longer one counts.
pub(crate) fn with_words<'a>(
    text: &str,
    words: impl IntoIterator<Item = &'a (String, String)>,
) -> String {
    let found = words.into_iter().flat_map(|(old, new)| {
        let places = text
            .match_indices(old)
            .map(|(start, _)| start)
            .filter(|start| is_whole(text, *start, old));
        places.map(move |start| (start, old.len(), new))
    });
    let mut found: Vec<_> = found.collect();
    found.sort_by_key(|(start, length, _)| (*start, Reverse(*length)));
    let mut replaced = String::with_capacity(text.len());
    let mut done = 0;
    for (start, length, new) in found {
        if start >= done {
            replaced.push_str(&text[done..start]);
            replaced.push_str(new);
            done = start + length;
        }
    }
    replaced + &text[done..]
}

/// Whether a word is not a part of a longer name.
fn is_whole(text: &str, start: usize, word: &str) -> bool {
    let is_in_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let (before, after) = (&text[..start], &text[start + word.len()..]);
    if before.ends_with(is_in_name) {
        return false;
    }
    if word.ends_with("::") {
        // A crate, and not a module of another one.
        let path = before.strip_suffix("::");
        return path.is_none_or(|path| !path.ends_with(|c: char| is_in_name(c) || c == '>'));
    }
    let behind_dot = after.strip_prefix('.').unwrap_or_default();
    !after.starts_with(is_in_name) && !behind_dot.starts_with(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(text: &str, words: &[(&str, &str)]) -> String {
        let words = words.iter();
        let words: Vec<_> = words
            .map(|(old, new)| ((*old).to_owned(), (*new).to_owned()))
            .collect();
        with_words(text, &words)
    }

    #[test]
    fn only_whole_words_are_replaced() {
        let text = "app/v1: app/v1alpha1 xapp/v1 app/v1";
        let expected = "app/v2: app/v1alpha1 xapp/v1 app/v2";
        assert_eq!(renamed(text, &[("app/v1", "app/v2")]), expected);
        let text = "foos.app.example.com app.example.com.evil my-app.example.com app.example.com.";
        let expected = "foos.app.new.org app.example.com.evil my-app.example.com app.new.org.";
        assert_eq!(
            renamed(text, &[("app.example.com", "app.new.org")]),
            expected
        );
    }

    #[test]
    fn the_longest_counts_and_what_was_replaced_stays() {
        let words = [
            ("controller::app", "controller::app::app"),
            ("controller::app::foo", "controller::foo"),
        ];
        let text = "controller::app::foo; controller::app::bar; controller::apps";
        let expected = "controller::foo; controller::app::app::bar; controller::apps";
        assert_eq!(renamed(text, &words), expected);
    }

    #[test]
    fn a_crate_is_no_module() {
        let text = "use app::State; use app_api::app::v1; map::new(app::X)";
        let expected = "use web::State; use app_api::app::v1; map::new(web::X)";
        assert_eq!(renamed(text, &[("app::", "web::")]), expected);
        let text = "use ::app::State; use {app::a, x::app::b}; <T>::app::c";
        let expected = "use ::web::State; use {web::a, x::app::b}; <T>::app::c";
        assert_eq!(renamed(text, &[("app::", "web::")]), expected);
    }
}
