//! Quantities, such as `10m` of CPU or `64Mi` of memory.

/// What can follow the number, beside an exponent.
const SUFFIXES: [&str; 16] = [
    "", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei",
];

/// Whether Kubernetes reads a quantity.
pub(super) fn is_quantity(text: &str) -> bool {
    let text = text.trim();
    if text.is_empty() {
        return false;
    }
    let number = text.strip_prefix(['+', '-']).unwrap_or(text);
    let rest = digits(number);
    let suffix = rest.strip_prefix('.').map_or(rest, digits);
    let exponent = suffix.strip_prefix(['e', 'E']);
    SUFFIXES.contains(&suffix) || exponent.is_some_and(|exponent| exponent.parse::<i64>().is_ok())
}

/// What stands behind the digits of a text.
fn digits(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::is_quantity;

    /// What `resource.ParseQuantity` of k8s.io/apimachinery v0.33.4 says of them, without the blanks around them.
    #[test]
    fn quantities_are_those_of_kubernetes() {
        for text in [
            "0",
            "1",
            "10m",
            "1.5",
            "64Mi",
            "-1",
            "+1k",
            " 10m ",
            "1e3",
            "1E3",
            "1E",
            "1e-3",
            "1e+3",
            ".5",
            "1.",
            "5.Gi",
            "0.1n",
            "12345678901234567890",
            "Ki",
            ".",
            "-",
        ] {
            assert!(is_quantity(text), "{text}");
        }
        for text in [
            "", " ", "10 m", "10kib", "1KiB", "ten", "1e", "1e3m", "1,5", "true", "1mi", "0x1",
            "1.2.3", "--1", "1Ki5", "e", "1_000", "١",
        ] {
            assert!(!is_quantity(text), "{text}");
        }
    }
}
