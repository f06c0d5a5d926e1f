//! Names that the lines of a file define: those of which a file can have only one.

use super::sum::is_rust;

/// Keys before which a Makefile has no name.
const KEYWORDS: [&str; 9] = [
    ".PHONY", "define", "else", "export", "ifdef", "ifeq", "ifndef", "ifneq", "override",
];

/// The names that a text defines, each with the index of its line.
pub(super) fn of(path: &str, text: &str) -> Vec<(String, usize)> {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    if name == "Makefile" {
        return by_line(text, |line| of_rule(line).map(str::to_owned).collect());
    }
    if is_rust(path) {
        return by_line(text, |line| item(line).into_iter().collect());
    }
    match name.rsplit_once('.') {
        Some((_, "yaml" | "yml")) => keys(text),
        _ => Vec::new(),
    }
}

fn by_line(text: &str, names: impl Fn(&str) -> Vec<String>) -> Vec<(String, usize)> {
    let lines = text.lines().enumerate();
    lines
        .flat_map(|(index, line)| names(line).into_iter().map(move |name| (name, index)))
        .collect()
}

/// The targets or the variable that a line of a Makefile defines.
pub(super) fn of_rule(line: &str) -> impl Iterator<Item = &str> {
    let defined = line.split([':', '=']).next();
    let defined = defined.filter(|names| *names != line && !line.starts_with(['\t', '#']));
    defined
        .into_iter()
        .flat_map(str::split_whitespace)
        .map(|name| name.trim_end_matches(['?', '+', '!']))
        .filter(|name| !name.is_empty() && !KEYWORDS.contains(name))
}

/// The item that a line of a Rust source declares or imports, with its namespace. Those in modules have an indentation
/// and are left out.
fn item(line: &str) -> Option<String> {
    let bare = match line.strip_prefix("pub") {
        Some(rest) => match rest.strip_prefix('(') {
            Some(rest) => rest.split_once(')')?.1,
            None => rest,
        }
        .strip_prefix(' ')?,
        None => line,
    };
    if bare.starts_with("use ") && bare.ends_with(';') {
        return Some(bare.to_owned());
    }
    let mut words = bare.split(' ').skip_while(|word| is_qualifier(word, bare));
    let namespace = match words.next()? {
        "fn" | "const" | "static" => "value",
        "struct" | "enum" | "union" | "trait" | "type" | "mod" => "type",
        "macro_rules!" => "macro",
        _ => return None,
    };
    let name = words.next()?;
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_');
    let name = &name[..end.unwrap_or(name.len())];
    let is_named = !name.is_empty() && name != "_";
    is_named.then(|| format!("{namespace} {name}"))
}

/// Whether a word of a line is a qualifier of `fn`.
fn is_qualifier(word: &str, line: &str) -> bool {
    matches!(word, "async" | "unsafe" | "extern" | "\"C\"")
        || word == "const" && line.contains(" fn ")
}

/// YAML that is nested deeper has no names: the path of each key is a text.
const MOST_LEVELS: usize = 64;

/// The keys of YAML, each as a path.
fn keys(text: &str) -> Vec<(String, usize)> {
    let mut keys = Vec::new();
    let (mut document, mut above) = (0, Vec::<(usize, String)>::new());
    let mut block = None;
    for (index, line) in text.lines().enumerate() {
        let mut bare = line.trim_start_matches(' ');
        let mut indent = line.len() - bare.len();
        if bare.trim().is_empty() || block.is_some_and(|block| indent > block) {
            continue;
        }
        block = None;
        if line.starts_with("---") {
            (document, above) = (index, Vec::new());
            continue;
        }
        // Items of a list are below its key, also with the same indentation.
        while let Some(entry) = bare.strip_prefix("- ") {
            while above.pop_if(|(depth, _)| *depth > indent).is_some() {}
            above.push((indent + 1, index.to_string()));
            bare = entry.trim_start_matches(' ');
            indent = line.len() - bare.len();
        }
        while above.pop_if(|(depth, _)| *depth >= indent).is_some() {}
        let Some(key) = key(bare) else {
            continue;
        };
        above.push((indent, key.to_owned()));
        if above.len() <= MOST_LEVELS {
            let path: Vec<_> = above.iter().map(|(_, key)| &**key).collect();
            keys.push((format!("{document} {}", path.join("/")), index));
        }
        let value = bare.trim_end().rsplit(' ').next().unwrap_or_default();
        if value.starts_with(['|', '>']) {
            block = Some(indent);
        }
    }
    keys
}

/// The key that a line of YAML begins with.
fn key(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let end = line
        .find(": ")
        .or_else(|| line.strip_suffix(':').map(str::len))?;
    let key = line[..end].trim_matches(['"', '\'']);
    (!key.starts_with(['#', '{', '['])).then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn defines(path: &str, text: &str, expected: &[(&str, usize)]) {
        let names = of(path, text);
        let names: Vec<_> = names.iter().map(|(name, line)| (&**name, *line)).collect();
        assert_eq!(names, expected);
    }

    #[test]
    fn makefiles_define_targets_and_variables() {
        let text =
            "A ?= 1\n.PHONY: run\nrun lint: build ## Run: it\n\techo a: b\n# c: d\nexport B := 2\n";
        let expected = [("A", 0), ("run", 2), ("lint", 2), ("B", 5)];
        defines("Makefile", text, &expected);
    }

    #[test]
    fn sources_define_items() {
        let text = "use a::b;\npub(crate) async fn f() {\n    fn inner() {}\n}\nconst fn g() {}\nconst X: u8 = 1;\npub struct S<T>(T);\n\
                    impl S<u8> {}\npub mod m;\nconst _: () = ();\n// fn no\n";
        let expected = [
            ("use a::b;", 0),
            ("value f", 1),
            ("value g", 4),
            ("value X", 5),
            ("type S", 6),
            ("type m", 8),
        ];
        defines("src/lib.rs", text, &expected);
    }

    #[test]
    fn deep_yaml_is_bounded() {
        let lines = (0..20_000).map(|level| format!("{}a:\n", " ".repeat(level.min(100))));
        let deep: String = lines.collect();
        assert_eq!(of("a.yaml", &deep).len(), MOST_LEVELS);
    }

    #[test]
    fn yaml_defines_keys_below_keys() {
        let text = "on:\n  push: {}\njobs:\n  image: # it\n    steps:\n    - name: a\n      run: |\n        x: y\n    - name: b\n      \
                    with:\n        - k: v\n          l: w\n  \"e2e\":\n    x: 1\n---\non: x\n";
        let expected = [
            ("0 on", 0),
            ("0 on/push", 1),
            ("0 jobs", 2),
            ("0 jobs/image", 3),
            ("0 jobs/image/steps", 4),
            ("0 jobs/image/steps/5/name", 5),
            ("0 jobs/image/steps/5/run", 6),
            ("0 jobs/image/steps/8/name", 8),
            ("0 jobs/image/steps/8/with", 9),
            ("0 jobs/image/steps/8/with/10/k", 10),
            ("0 jobs/image/steps/8/with/10/l", 11),
            ("0 jobs/e2e", 12),
            ("0 jobs/e2e/x", 13),
            ("14 on", 15),
        ];
        defines(".github/workflows/ci.yml", text, &expected);
    }
}
