//! Quantities such as `500m` or `1Gi`, in the canonical form of the API server.

/// The suffixes of powers of a thousand and of 1024, with their exponents.
const DECIMAL: [(&str, i32); 9] = [
    ("n", -9),
    ("u", -6),
    ("m", -3),
    ("", 0),
    ("k", 3),
    ("M", 6),
    ("G", 9),
    ("T", 12),
    ("P", 15),
];
const BINARY: [(&str, u32); 6] = [
    ("Ki", 10),
    ("Mi", 20),
    ("Gi", 30),
    ("Ti", 40),
    ("Pi", 50),
    ("Ei", 60),
];

/// The canonical form of a quantity. `None` if it is invalid.
pub(super) fn canonical(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && !"+-.".contains(c));
    let (number, suffix) = text.split_at(end.unwrap_or(text.len()));
    let binary = BINARY.iter().find(|(known, _)| *known == suffix);
    let (digits, exponent) = digits(number)?;
    if let Some((_, power)) = binary {
        let value = digits.checked_mul(1_i128 << power)?;
        let divisor = 10_i128.checked_pow(u32::try_from(-exponent).ok()?)?;
        if value % divisor == 0 {
            return Some(in_binary(value / divisor));
        }
        return Some(in_decimal(value, exponent));
    }
    let exponent = match DECIMAL.iter().find(|(known, _)| *known == suffix) {
        Some((_, more)) => exponent + more,
        None if suffix == "E" => exponent + 18,
        None => exponent + suffix.strip_prefix(['e', 'E'])?.parse::<i32>().ok()?,
    };
    Some(in_decimal(digits, exponent))
}

/// A decimal number as an integer and an exponent of ten that is at most 0.
fn digits(text: &str) -> Option<(i128, i32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = format!("{whole}{fraction}").parse::<i128>().ok()?;
    Some((digits, -i32::try_from(fraction.len()).ok()?))
}

fn in_binary(value: i128) -> String {
    let fits = |power: u32| value != 0 && value % (1_i128 << power) == 0;
    match BINARY.iter().rev().find(|(_, power)| fits(*power)) {
        Some((suffix, power)) => format!("{}{suffix}", value >> power),
        None => value.to_string(),
    }
}

/// With the largest suffix that leaves no fraction.
fn in_decimal(mut digits: i128, mut exponent: i32) -> String {
    if digits == 0 {
        return "0".to_owned();
    }
    while digits % 10 == 0 {
        digits /= 10;
        exponent += 1;
    }
    // Fractions of a nano are rounded up.
    while exponent < -9 {
        digits = (digits + 9) / 10;
        exponent += 1;
    }
    let rest = exponent.rem_euclid(3);
    let scale = (exponent - rest).min(18);
    let factor = 10_i128.pow(u32::try_from(exponent - scale).unwrap_or(0));
    let suffix = match DECIMAL.iter().find(|(_, known)| *known == scale) {
        Some((suffix, _)) => suffix,
        None => "E",
    };
    format!("{}{suffix}", digits * factor)
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn a_quantity_has_one_form() {
        for (given, expected) in [
            ("1", "1"),
            ("0.5", "500m"),
            ("1000m", "1"),
            ("1500m", "1500m"),
            ("1024Mi", "1Gi"),
            ("1.5Gi", "1536Mi"),
            ("100k", "100k"),
            ("1000k", "1M"),
            ("1e3", "1k"),
            ("0", "0"),
            ("2Ei", "2Ei"),
        ] {
            assert_eq!(canonical(given).as_deref(), Some(expected), "{given}");
        }
        assert_eq!(canonical("many"), None);
    }
}
