//! Names that change, in what a user wrote too.

use std::cmp::Reverse;

use super::is_rust;

/// Names that change with what a project is called, each with what stands in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Renames {
    /// Those of Kubernetes, which stand anywhere: CRDs, namespaces.
    pub(crate) names: Vec<(String, String)>,
    /// API groups, which only some places name: the same word can be a host.
    pub(crate) groups: Vec<(String, String)>,
    /// Paths in Rust code.
    pub(crate) paths: Vec<(String, String)>,
    /// Packages in a Cargo.toml.
    pub(crate) packages: Vec<(String, String)>,
}

impl Renames {
    /// Whether all keep their names.
    pub(crate) fn is_empty(&self) -> bool {
        let lists = [&self.names, &self.groups, &self.paths, &self.packages];
        lists.iter().all(|list| list.is_empty())
    }

    /// The text of the file at `path`, with the new names.
    pub(crate) fn apply(&self, path: &str, text: &str) -> String {
        if self.is_empty() {
            return text.to_owned();
        }
        let paths = self.paths.iter().filter(|_| is_rust(path));
        let is_manifest = path == "Cargo.toml" || path.ends_with("/Cargo.toml");
        let packages = self.packages.iter().filter(|_| is_manifest);
        let words = self.names.iter().chain(paths).chain(packages);
        let mut found: Vec<_> = places(text, words).collect();
        let groups = places(text, &self.groups);
        found.extend(groups.filter(|(start, ..)| is_in_group_field(text, *start)));
        replaced(text, found)
    }
}

/// A word in a text: its start, its length, and the word in its place.
type Place<'a> = (usize, usize, &'a str);

/// A text with words in place of others, wherever those stand by themselves. Where two begin, the longer one counts.
pub(crate) fn with_words<'a>(
    text: &'a str,
    words: impl IntoIterator<Item = &'a (String, String)>,
) -> String {
    replaced(text, places(text, words).collect())
}

/// Where words stand by themselves.
fn places<'a>(
    text: &'a str,
    words: impl IntoIterator<Item = &'a (String, String)>,
) -> impl Iterator<Item = Place<'a>> {
    words.into_iter().flat_map(move |(old, new)| {
        let places = text
            .match_indices(&**old)
            .map(|(start, _)| start)
            .filter(move |start| is_whole(text, *start, old));
        places.map(move |start| (start, old.len(), &**new))
    })
}

fn replaced(text: &str, mut found: Vec<Place<'_>>) -> String {
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
    if before.ends_with(is_in_name) || before.ends_with("://") {
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

/// Whether the word at `start` is in a field, a variable or a marker that is called after groups. A word that has a line
/// to itself is of the line above: it is an item of a list, or an argument.
fn is_in_group_field(text: &str, start: usize) -> bool {
    // The rest of a name, a path or a port.
    let is_part = text[..start].ends_with(['.', '/', '@']);
    let rest = &text[start..];
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "-.".contains(c)));
    let rest = &rest[end.unwrap_or(rest.len())..];
    let port = rest.strip_prefix(':').unwrap_or_default();
    if is_part || rest.starts_with('/') || port.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let end = text[start..]
        .find('\n')
        .map_or(text.len(), |end| start + end);
    let line = text[..end].lines().rev().find(|line| !is_item(line));
    line.is_some_and(|line| line.to_ascii_lowercase().contains("group"))
}

/// Whether a line has a single value, with nothing that says of what it is.
fn is_item(line: &str) -> bool {
    let line = line.trim().trim_start_matches("- ");
    let value = line.trim_matches(|c: char| "\"'`,[]".contains(c));
    !value.is_empty() && !value.contains(|c: char| c.is_whitespace() || ":=({".contains(c))
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
    fn a_group_is_no_host() {
        let renames = Renames {
            names: vec![("app.a.com/v1".to_owned(), "app.b.org/v1".to_owned())],
            groups: vec![("app.a.com".to_owned(), "app.b.org".to_owned())],
            ..Renames::default()
        };
        for text in [
            "apiVersion: app.a.com/v1\n",
            "group = \"app.a.com\", // https://app.a.com/v1\n",
            "const GROUP: &str = \"app.a.com\";\n",
            "// +kubebuilder:rbac:groups=app.a.com;apps,resources=foos\n",
            "- apiGroups:\n  - apps\n  - app.a.com\n  resources: [foos]\n",
            "- apiGroups: [apps, app.a.com]\n",
            "assert_eq!(\n    Foo::group(&()),\n    \"app.a.com\"\n);\n",
            "/// The API group `app.a.com`.\n",
            "get /apis/app.a.com/v1/foos\n",
        ] {
            let expected = text
                .replace("app.a.com", "app.b.org")
                .replace("https://app.b.org", "https://app.a.com");
            assert_eq!(renames.apply("a.rs", text), expected);
        }
        for text in [
            "//! See https://app.a.com/docs\n",
            "//! See https://app.a.com/v1\n",
            "host: app.a.com\n",
            "hosts:\n- app.a.com\n",
            "// groups: www.app.a.com, app.a.com/docs, app.a.com:443, me@app.a.com\n",
        ] {
            assert_eq!(renames.apply("a.rs", text), text);
        }
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
