//! The file `.helmignore`: what a package of a chart leaves out, by the rules of Helm.

use regex::Regex;

use crate::error::{Code, Context, Error, Result};

/// What Helm leaves out in any case.
const ALWAYS: &str = "templates/.?*";

/// The patterns of a file, in order.
pub(super) struct Ignored(Vec<Pattern>);

impl Ignored {
    /// Reads the file.
    ///
    /// # Errors
    /// Helm rejects a pattern.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().chain([ALWAYS]).map(str::trim);
        let patterns = lines
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .map(Pattern::parse);
        patterns.collect::<Result<_>>().map(Self)
    }

    /// Whether a file is left out, or a folder around it.
    pub(super) fn has(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(end, _)| (end, true));
        let mut parts = ends.chain([(path.len(), false)]);
        parts.any(|(end, is_folder)| self.against(&path[..end], is_folder).is_some())
    }

    /// The line that leaves out a file at the top of the chart.
    pub(super) fn line_against(&self, name: &str) -> Option<&str> {
        self.against(name, false).map(|pattern| &*pattern.line)
    }

    /// The pattern that leaves out a file or folder itself. The first one that decides it ends the search. A negated one
    /// leaves out all that it does not match.
    fn against(&self, path: &str, is_folder: bool) -> Option<&Pattern> {
        self.0.iter().find(|pattern| {
            let matches = (is_folder || !pattern.is_for_folders) && pattern.matches(path);
            matches != pattern.is_negated
        })
    }
}

/// A pattern of a line.
struct Pattern {
    line: String,
    is_negated: bool,
    is_for_folders: bool,
    /// Whether it is for a path; else it is for a name in any folder.
    is_path: bool,
    regex: Regex,
}

impl Pattern {
    fn parse(line: &str) -> Result<Self> {
        if line.contains("**") {
            let message = format!("Helm does not support `**`, as in the pattern `{line}`");
            return Err(Error::new(Code::MalformedFile, message).hint("use `*`"));
        }
        let (is_negated, rest) = match line.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (is_for_folders, rest) = match rest.strip_suffix('/') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let regex = regex(rest.strip_prefix('/').unwrap_or(rest)).ok_or_else(|| {
            let message = format!("invalid pattern `{line}`");
            Error::new(Code::MalformedFile, message)
                .hint("close each `[` with `]`, and write a range such as `a-z` from low to high")
        })?;
        let regex = Regex::new(&regex).context(Code::MalformedFile, || {
            format!("the pattern `{line}` is too large")
        })?;
        Ok(Self {
            line: line.to_owned(),
            is_negated,
            is_for_folders,
            is_path: rest.contains('/'),
            regex,
        })
    }

    fn matches(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.regex.is_match(if self.is_path { path } else { name })
    }
}

/// The regular expression of a pattern with `*`, `?` and classes. Only classes are for a slash. `None` if it is invalid.
fn regex(pattern: &str) -> Option<String> {
    let mut regex = "(?s)^".to_owned();
    let mut rest = pattern.chars();
    while let Some(c) = rest.next() {
        match c {
            '*' => regex.push_str("[^/]*"),
            '?' => regex.push_str("[^/]"),
            '[' => regex.push_str(&class(&mut rest)?),
            '\\' => regex.push_str(&regex::escape(&rest.next()?.to_string())),
            c => regex.push_str(&regex::escape(&c.to_string())),
        }
    }
    regex.push('$');
    Some(regex)
}

/// The regular expression of a class such as `[^a-z_]`, whose first bracket is read.
fn class(rest: &mut std::str::Chars<'_>) -> Option<String> {
    let is_negated = rest.as_str().starts_with('^');
    if is_negated {
        rest.next();
    }
    let mut ranges = String::new();
    loop {
        if !ranges.is_empty() && rest.as_str().starts_with(']') {
            rest.next();
            break;
        }
        let low = member(rest)?;
        let high = if rest.as_str().starts_with('-') {
            rest.next();
            member(rest)?
        } else {
            low
        };
        if low > high {
            return None;
        }
        let range = [low, high].map(|end| format!("\\x{{{:x}}}", u32::from(end)));
        ranges.push_str(&range.join("-"));
    }
    let negation = if is_negated { "^" } else { "" };
    Some(format!("[{negation}{ranges}]"))
}

/// A character of a class.
fn member(rest: &mut std::str::Chars<'_>) -> Option<char> {
    match rest.next()? {
        '-' | ']' => None,
        '\\' => rest.next(),
        c => Some(c),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_for_names_and_paths() {
        for (pattern, path, is_left_out) in [
            ("*.bak", "templates/a.bak", true),
            ("*.bak", "templates/a.yaml", false),
            (".git/", ".git/config", true),
            (".git/", ".git", false),
            ("/ci/*.yaml", "ci/a.yaml", true),
            ("/ci/*.yaml", "ci/b/a.yaml", false),
            ("ci", "ci/a.yaml", true),
            ("?~", "a/b~", true),
            (".*", "a/.b", true),
            (".*", "a/b", false),
            ("a[0-9x].yaml", "ci/a7.yaml", true),
            ("a[0-9x].yaml", "ci/ax.yaml", true),
            ("a[0-9x].yaml", "ci/ab.yaml", false),
            ("[^a]*.yaml", "b.yaml", true),
            ("[^a]*.yaml", "a.yaml", false),
            ("x/a[^b]c", "x/a/c", true),
            ("x/a?c", "x/a/c", false),
            (r"\*.md", "*.md", true),
            (r"\*.md", "a.md", false),
            (r"[\]\-]", "-", true),
            // One star after the other would take for ever.
            (&format!("{}b", "*a".repeat(40)), &"a".repeat(200), false),
        ] {
            let ignored = Ignored::parse(pattern).expect(pattern);
            assert_eq!(ignored.has(path), is_left_out, "{pattern} {path}");
        }
    }

    /// A negated pattern leaves out all that it does not match, unless one before it decides.
    #[test]
    fn negation_is_that_of_helm() {
        let ignored = Ignored::parse("# no comment\n!*.yaml\nvalues.yaml").expect("patterns");
        for (path, is_left_out) in [
            ("Chart.yaml", false),
            ("values.yaml", true),
            ("README.md", true),
            // The folder has no such name.
            ("templates/a.yaml", true),
        ] {
            assert_eq!(ignored.has(path), is_left_out, "{path}");
        }
        let ignored = Ignored::parse("!templates/").expect("patterns");
        assert!(ignored.has("Chart.yaml") && ignored.has("templates/a.yaml"));
    }

    #[test]
    fn hidden_templates_are_left_out() {
        let ignored = Ignored::parse("").expect("no patterns");
        assert!(ignored.has("templates/.swp") && !ignored.has("templates/_helpers.tpl"));
    }

    #[test]
    fn what_helm_rejects_is_rejected() {
        for pattern in ["**/a", "[", "[]", "[a", "[a-", "[z-a]", "[-a]", "a\\"] {
            assert!(Ignored::parse(pattern).is_err(), "{pattern}");
        }
    }
}
