use std::fmt;

/// What the library calls every text.
const INPUT: &str = "--> <input>:";

/// What the library says to those who program with it, and what it is to a user.
const WORDS: [(&str, &str); 2] = [
    (", set DuplicateKeyPolicy in Options if acceptable", ""),
    (
        "multiple YAML documents detected; use from_str_multiple or from_str_multiple_with_options",
        "more than one document: remove `---` and everything after it",
    ),
];

/// Why a text cannot be read, with the line.
#[derive(Debug)]
pub(crate) struct Error(String);

impl Error {
    pub(super) fn new(error: &serde_yaml::Error) -> Self {
        let text = WORDS
            .iter()
            .fold(error.to_string(), |text, (of_library, word)| {
                text.replace(of_library, word)
            });
        // It says once more that it is an error.
        Self(text.strip_prefix("error: ").unwrap_or(&text).to_owned())
    }

    /// The message, which shows the place in a file of this name.
    pub(crate) fn in_file(&self, name: &str) -> String {
        self.0.replace(INPUT, &format!("--> {name}:"))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.replace(INPUT, "--> "))
    }
}

impl std::error::Error for Error {}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use crate::yaml::from_str;

    #[test]
    fn the_words_are_for_users() {
        for text in [
            "a: 1\n---\nb: 1\n",
            "a: 1\na: 2\n",
            "[",
            "a: *b\n",
            "{\"a\": }}",
        ] {
            let error = from_str::<Value>(text).expect_err(text);
            for message in [error.to_string(), error.in_file("PROJECT")] {
                for word in ["<input>", "from_str", "Policy", "error:"] {
                    assert!(!message.contains(word), "{message}");
                }
            }
            assert!(error.in_file("PROJECT").contains("--> PROJECT:"));
        }
    }
}
