//! The command line that a shell wants completed.

use std::env;

/// The value that a flag has on the line, by the names of the flag. The word at the cursor is none yet.
pub(super) fn value(names: &[&str]) -> Option<String> {
    // The program and the `--` of the script are not of the line.
    let words: Vec<_> = env::args_os()
        .skip(2)
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    // Shells that do not say where the cursor is pass the words before it.
    let cursor = env::var("_CLAP_COMPLETE_INDEX")
        .ok()
        .and_then(|cursor| cursor.parse().ok());
    value_in(
        &words,
        cursor.unwrap_or(words.len().saturating_sub(1)),
        names,
    )
}

fn value_in(words: &[String], cursor: usize, names: &[&str]) -> Option<String> {
    words.iter().enumerate().find_map(|(index, word)| {
        let rest = names.iter().find_map(|name| word.strip_prefix(name))?;
        let is_long = word.starts_with("--");
        let value = match rest.strip_prefix('=') {
            Some(value) if index != cursor => value,
            None if rest.is_empty() => {
                // bash makes `=` a word of its own.
                let is_split = words.get(index + 1).is_some_and(|word| word == "=");
                let value = index + 1 + usize::from(is_split);
                words.get(value).filter(|_| value != cursor)?
            }
            None if !is_long && index != cursor => rest,
            _ => return None,
        };
        Some(value.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_has_the_value_behind_it() {
        for (line, cursor, expected) in [
            ("rop -C a check", 3, Some("a")),
            ("rop -Ca check", 2, Some("a")),
            ("rop --directory a check", 3, Some("a")),
            ("rop --directory=a check", 2, Some("a")),
            ("rop --directory = a check", 4, Some("a")),
            ("rop check -C a", 1, Some("a")),
            ("rop -C a", 2, None),
            ("rop -Ca", 1, None),
            ("rop --directory=a", 1, None),
            ("rop --directory = a", 3, None),
            ("rop -C", 1, None),
            ("rop --directoryless a check", 3, None),
            ("rop check", 1, None),
        ] {
            let words: Vec<_> = line.split(' ').map(str::to_owned).collect();
            let value = value_in(&words, cursor, &["-C", "--directory"]);
            assert_eq!(value.as_deref(), expected, "{line}");
        }
    }
}
