//! The Cargo.lock that a project starts with.

/// The name of the file.
pub(super) const FILE_NAME: &str = "Cargo.lock";

const TEMPLATE: &str = include_str!("../../templates/project/Cargo.lock.shared.tera");

const PACKAGE: &str = "[[package]]\n";

/// Names of the packages that every operator depends on.
pub(crate) fn locked_packages() -> impl Iterator<Item = &'static str> {
    TEMPLATE
        .lines()
        .filter_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))
        .filter(|name| !name.contains('{'))
}

/// Puts packages, and the dependencies of each, in the order that cargo writes: by name, which is
/// known only when the template is rendered. `cargo build --locked` takes no other.
pub(super) fn sort(text: &str) -> String {
    let (head, packages) = text.split_once(PACKAGE).unwrap_or((text, ""));
    let mut packages: Vec<String> = packages
        .split(PACKAGE)
        .map(|package| sort_dependencies(package.trim_end()))
        .collect();
    packages.sort_by_cached_key(|package| order(package));
    format!(
        "{head}{PACKAGE}{}\n",
        packages.join(&format!("\n\n{PACKAGE}"))
    )
}

fn order(package: &str) -> (String, Option<semver::Version>) {
    let field = |key: &str| {
        package.lines().find_map(|line| {
            line.strip_prefix(key)?
                .strip_prefix(" = \"")?
                .strip_suffix('"')
        })
    };
    (
        field("name").unwrap_or_default().to_owned(),
        field("version").and_then(|version| version.parse().ok()),
    )
}

fn sort_dependencies(package: &str) -> String {
    let mut lines: Vec<&str> = package.lines().collect();
    if let Some(start) = lines.iter().position(|line| *line == "dependencies = [")
        && let Some(length) = lines[start..].iter().position(|line| *line == "]")
    {
        lines[start + 1..start + length]
            .sort_unstable_by_key(|line| line.trim_matches([' ', '"', ',']));
    }
    lines.join("\n")
}
