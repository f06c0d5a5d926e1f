//! Texts that others wrote, as parts of a page in Markdown: each stays on its line and in its cell, and is shown as it
//! is. No HTML, link or include of a text works.

use std::fmt::Write;

use crate::ui::one_line;

/// Characters that Markdown escapes with `\`.
const ESCAPED: &str = "\\`*_[]~$";

/// Characters that mean something to HTML, tables and templates of books.
const ENTITIES: &str = "<>&|{}";

/// What starts a block at the start of a text, if not escaped.
const BLOCKS: &str = "#+-=:";

/// A text on one line. What is between single backticks stays code.
pub(super) fn text(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let joined = words.join(" ");
    let line = one_line(&joined);
    let parts: Vec<_> = line.split('`').collect();
    let has_code = parts.len() % 2 == 1 && parts[1..].iter().step_by(2).all(|it| !it.is_empty());
    if !has_code {
        return started(escaped(&line));
    }
    let parts = parts.iter().enumerate().map(|(index, part)| {
        if index % 2 == 1 {
            code(part)
        } else {
            escaped(part)
        }
    });
    started(parts.collect())
}

/// A value as code.
pub(super) fn code(value: &str) -> String {
    let line = one_line(value);
    let is_plain = !line.is_empty()
        && line.trim() == line
        && !line.contains(['`', '|', '\\'])
        && !line.contains("{{")
        && !line.contains("{%")
        && !line.contains("{#");
    if is_plain {
        return format!("`{line}`");
    }
    let mut shown = String::from("<code>");
    for c in line.chars() {
        if c.is_ascii_punctuation() {
            let _ = write!(shown, "&#{};", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown + "</code>"
}

fn escaped(text: &str) -> String {
    let mut shown = String::new();
    for c in text.chars() {
        if ESCAPED.contains(c) {
            shown.push('\\');
            shown.push(c);
        } else if ENTITIES.contains(c) {
            let _ = write!(shown, "&#{};", u32::from(c));
        } else {
            shown.push(c);
        }
    }
    shown
}

/// A line that starts no heading or list.
fn started(line: String) -> String {
    let digits = line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if line.starts_with(|c| BLOCKS.contains(c)) {
        format!("\\{line}")
    } else if digits > 0 && line[digits..].starts_with(['.', ')']) {
        format!("{}\\{}", &line[..digits], &line[digits..])
    } else {
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_stays_what_it_is() {
        for (given, shown) in [
            ("Number of\n  replicas.", "Number of replicas."),
            (
                "Such as `a|b` or `c`.",
                "Such as <code>a&#124;b</code> or `c`.",
            ),
            ("a | b", "a &#124; b"),
            ("<script>x</script>", "&#60;script&#62;x&#60;/script&#62;"),
            ("[x](javascript:y)", "\\[x\\](javascript:y)"),
            ("# no\n\n## heading", "\\# no ## heading"),
            ("- no list", "\\- no list"),
            ("12. no list", "12\\. no list"),
            ("an odd ` mark", "an odd \\` mark"),
            ("``` fence", "\\`\\`\\` fence"),
            (
                "{{#include /etc/passwd}}",
                "&#123;&#123;#include /etc/passwd&#125;&#125;",
            ),
            (
                "`{{#include x}}`",
                "<code>&#123;&#123;&#35;include x&#125;&#125;</code>",
            ),
            ("a\u{202e}b", "a\\\\u&#123;202e&#125;b"),
            ("", ""),
        ] {
            assert_eq!(text(given), shown, "{given}");
        }
    }

    #[test]
    fn a_value_stays_in_its_cell() {
        for (given, shown) in [
            ("^[a-z]+$", "`^[a-z]+$`"),
            ("a|b", "<code>a&#124;b</code>"),
            ("a`b", "<code>a&#96;b</code>"),
            ("\\d", "<code>&#92;d</code>"),
            ("", "<code></code>"),
            (" ", "<code> </code>"),
            ("a\nb", "<code>a&#92;nb</code>"),
        ] {
            assert_eq!(code(given), shown, "{given}");
        }
    }
}
