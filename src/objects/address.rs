//! What kustomize takes for an address.

/// What git repositories start with, for kustomize.
const REPOSITORIES: [&str; 7] = [
    "gh:",
    "git::",
    "github.com/",
    "github.com:",
    "s3::",
    "www.github.com/",
    "www.github.com:",
];

/// Whether kustomize takes an entry for an address: of a file, or of a git repository.
pub(super) fn is_address(entry: &str, is_file: bool) -> bool {
    let first = entry.trim_start().lines().next();
    let line = first.unwrap_or_default().to_ascii_lowercase();
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| line.starts_with(prefix));
    let is_word = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte))
    };
    let follows_word = |mark| line.split_once(mark).is_some_and(|(word, _)| is_word(word));
    let is_repository =
        starts(&REPOSITORIES) || follows_word("://") || follows_word("@") || line.contains("?ref=");
    // kustomize looks for a file first, but for a repository before a folder.
    starts(&["http:", "https:"]) || is_repository && !is_file
}
