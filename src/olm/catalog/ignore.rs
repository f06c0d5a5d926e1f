//! `.indexignore`: which files of a catalog are not read, by the patterns of `.gitignore` as opm reads them.

/// The most patterns in all files of a catalog: each is tried on each path.
pub(super) const MOST_PATTERNS: usize = 1000;

/// The patterns of a catalog, in the order of its folders.
#[derive(Debug, Default)]
pub(super) struct Ignore(Vec<Pattern>);

#[derive(Debug)]
struct Pattern {
    /// The folder that it is for, with a slash at its end; empty for the catalog.
    folder: String,
    parts: Vec<String>,
    /// Whether it is for a name in any folder below.
    is_name: bool,
    is_for_folders: bool,
    /// Whether it excepts what patterns before it exclude.
    is_exception: bool,
}

impl Ignore {
    /// Adds the patterns of a file in `folder`, whose path ends with a slash unless it is empty.
    ///
    /// # Errors
    /// There are too many.
    pub(super) fn add(&mut self, folder: &str, text: &str) -> Result<(), String> {
        let lines = text.lines().map(str::trim);
        let patterns = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
        self.0
            .extend(patterns.map(|line| Pattern::parse(folder, line)));
        if self.0.len() > MOST_PATTERNS {
            Err(format!("has more than {MOST_PATTERNS} patterns"))
        } else {
            Ok(())
        }
    }

    /// Whether a file of the catalog is not read. The last pattern that matches decides.
    pub(super) fn has(&self, path: &str) -> bool {
        let mut patterns = self.0.iter().rev();
        patterns
            .find(|pattern| pattern.matches(path))
            .is_some_and(|pattern| !pattern.is_exception)
    }
}

impl Pattern {
    fn parse(folder: &str, line: &str) -> Self {
        let (is_exception, line) = match line.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let (is_for_folders, line) = match line.strip_suffix('/') {
            Some(rest) => (true, rest),
            None => (false, line),
        };
        let is_name = !line.contains('/');
        let line = line.strip_prefix('/').unwrap_or(line);
        Self {
            folder: folder.to_owned(),
            parts: line.split('/').map(str::to_owned).collect(),
            is_name,
            is_for_folders,
            is_exception,
        }
    }

    /// Whether it matches a file, or a folder that the file is in.
    fn matches(&self, path: &str) -> bool {
        let Some(path) = path.strip_prefix(&self.folder) else {
            return false;
        };
        let names: Vec<_> = path.split('/').collect();
        // The last name is that of the file.
        let folders = names.len() - 1;
        let most = if self.is_for_folders {
            folders
        } else {
            names.len()
        };
        if self.is_name {
            return names[..most].iter().any(|name| glob(&self.parts[0], name));
        }
        (1..=most).any(|end| self.matches_whole(&names[..end]))
    }

    /// Whether the parts match these names, one by one; `**` stands for any number of them.
    fn matches_whole(&self, names: &[&str]) -> bool {
        let mut reachable = vec![false; names.len() + 1];
        reachable[0] = true;
        for part in &self.parts {
            let mut next = vec![false; names.len() + 1];
            for at in 0..=names.len() {
                if part == "**" {
                    next[at] = reachable[..=at].contains(&true);
                } else if at > 0 {
                    next[at] = reachable[at - 1] && glob(part, names[at - 1]);
                }
            }
            reachable = next;
        }
        reachable[names.len()]
    }
}

/// Whether a pattern of `*`, `?`, `[a-z]` and `\x` matches a name as a whole.
fn glob(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut in_name) = (0, 0);
    // Where the last `*` is, and what it has matched so far.
    let mut star: Option<(usize, usize)> = None;
    while in_name < name.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, in_name));
            at += 1;
        } else if let Some(length) = one(&pattern[at..], name[in_name]) {
            (at, in_name) = (at + length, in_name + 1);
        } else if let Some((before, taken)) = star {
            star = Some((before, taken + 1));
            (at, in_name) = (before + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|rest| *rest == '*')
}

/// How long the part of a pattern is that matches one character.
fn one(pattern: &[char], letter: char) -> Option<usize> {
    match pattern {
        ['?', ..] => Some(1),
        ['\\', escaped, ..] => (*escaped == letter).then_some(2),
        ['[', set @ ..] => {
            let end = set.iter().skip(1).position(|c| *c == ']')? + 1;
            let (is_negated, members) = match set[0] {
                '^' | '!' => (true, &set[1..end]),
                _ => (false, &set[..end]),
            };
            let mut rest = members;
            let mut is_in = false;
            while let [first, more @ ..] = rest {
                (is_in, rest) = match more {
                    ['-', last, behind @ ..] => {
                        (is_in || (*first..=*last).contains(&letter), behind)
                    }
                    _ => (is_in || *first == letter, more),
                };
            }
            (is_in != is_negated).then_some(end + 2)
        }
        [exact, ..] => (*exact == letter).then_some(1),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_those_of_gitignore() {
        for (patterns, ignored, read) in [
            (
                "README.md",
                &["README.md", "a/README.md"][..],
                &["a.yaml"][..],
            ),
            ("/README.md", &["README.md"], &["a/README.md"]),
            ("*.md", &["x.md", "a/b/x.md"], &["x.mdx", "md"]),
            ("docs/", &["docs/a", "a/docs/b"], &["docs"]),
            (
                "a/*.txt",
                &["a/b.txt", "a/b.txt/c"],
                &["b/a/b.txt", "a/b/c.txt"],
            ),
            ("**/x/*.y", &["x/a.y", "a/b/x/c.y"], &["x/a/b.y"]),
            ("a/**", &["a/b", "a/b/c"], &["b/a"]),
            ("*.md\n!keep.md", &["a.md"], &["keep.md"]),
            (
                "# a.md\n\n[!a-c]?.\\*",
                &["dx.*"],
                &["a.md", "ax.*", "dx.y"],
            ),
            ("[", &[], &["[", "a"]),
        ] {
            let mut ignore = Ignore::default();
            ignore.add("", patterns).expect("patterns");
            for path in ignored {
                assert!(ignore.has(path), "{patterns}: {path}");
            }
            for path in read {
                assert!(!ignore.has(path), "{patterns}: {path}");
            }
        }
        let mut ignore = Ignore::default();
        ignore.add("a/", "*.md").expect("patterns");
        assert!(ignore.has("a/x.md") && !ignore.has("x.md"));
    }

    #[test]
    fn hostile_patterns_end() {
        let mut ignore = Ignore::default();
        let stars = "*a".repeat(5000);
        let folders = "**/".repeat(1000);
        ignore
            .add("", &format!("{stars}\n{folders}x"))
            .expect("patterns");
        assert!(!ignore.has(&"a".repeat(250)));
        assert!(!ignore.has(&"a/".repeat(200)));
        let many = "a\n".repeat(MOST_PATTERNS + 1);
        assert!(Ignore::default().add("", &many).is_err());
    }
}
