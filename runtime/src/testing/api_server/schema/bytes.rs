//! Bytes in JSON: Base64 as Go reads and writes it.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The canonical form of a text in Base64: without line ends and unused bits.
///
/// # Errors
/// If it is not Base64: the position of the first invalid byte.
pub(super) fn canonical(text: &str) -> Result<String, usize> {
    let bytes = text.as_bytes();
    let is_line_end = |at: &usize| matches!(bytes[*at], b'\n' | b'\r');
    let mut rest = (0..bytes.len()).filter(|at| !is_line_end(at));
    let mut written = String::new();
    loop {
        let mut group = Vec::new();
        while group.len() < 4 {
            let Some(at) = rest.next() else {
                return match group.len() {
                    0 => Ok(written),
                    had => Err(bytes.len() - had),
                };
            };
            let value = ALPHABET.iter().position(|letter| *letter == bytes[at]);
            match value {
                Some(value) => group.push(value),
                None if bytes[at] == b'=' && group.len() >= 2 => {
                    if group.len() == 2 {
                        let second = rest.next().ok_or(bytes.len())?;
                        if bytes[second] != b'=' {
                            return Err(second);
                        }
                    }
                    if let Some(more) = rest.next() {
                        return Err(more);
                    }
                    // Only some bits of the last letter are used.
                    let mask = if group.len() == 2 {
                        0b11_0000
                    } else {
                        0b11_1100
                    };
                    *group.last_mut().expect("a letter") &= mask;
                    let padding = "=".repeat(4 - group.len());
                    written.extend(group.iter().map(|value| char::from(ALPHABET[*value])));
                    return Ok(written + &padding);
                }
                None => return Err(at),
            }
        }
        written.extend(group.iter().map(|value| char::from(ALPHABET[*value])));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_read_as_go_reads_it() {
        for (text, expected) in [
            ("", Ok("")),
            ("YWJj", Ok("YWJj")),
            ("YQ==", Ok("YQ==")),
            ("YR==", Ok("YQ==")),
            ("YWJ=", Ok("YWI=")),
            ("Y\nQ=\r\n=\n", Ok("YQ==")),
            ("not base64", Err(3)),
            ("YQ", Err(0)),
            ("YQ=", Err(3)),
            ("Y===", Err(1)),
            ("YQ=x", Err(3)),
            ("YQ==x", Err(4)),
            ("YWJjY", Err(4)),
        ] {
            assert_eq!(canonical(text), expected.map(str::to_owned), "{text:?}");
        }
    }
}
