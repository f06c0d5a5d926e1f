//! String formats in schemas of CRDs.

use std::net::{Ipv4Addr, Ipv6Addr};

use k8s_openapi::jiff::{Timestamp, civil::Date};

/// Whether a text matches a format. The API server ignores unknown formats.
pub(super) fn matches(format: &str, text: &str) -> bool {
    match format {
        "date" => text.parse::<Date>().is_ok() && text.len() == 10,
        "date-time" | "datetime" => text.parse::<Timestamp>().is_ok(),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "uuid" | "uuid3" | "uuid4" | "uuid5" => is_uuid(text),
        "byte" => {
            text.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte))
                && text.len().is_multiple_of(4)
        }
        "email" => text
            .split_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty()),
        "hostname" => super::names::subdomain(&text.to_lowercase()).is_none(),
        "duration" => is_duration(text),
        "uri" => text.contains(':') || text.starts_with('/'),
        "cidr" => text.split_once('/').is_some_and(|(address, bits)| {
            bits.parse::<u8>().is_ok_and(|bits| bits <= 128)
                && address.parse::<std::net::IpAddr>().is_ok()
        }),
        _ => true,
    }
}

fn is_uuid(text: &str) -> bool {
    let digits = text.chars().filter(|c| *c != '-');
    digits.clone().count() == 32 && digits.clone().all(|c| c.is_ascii_hexdigit())
}

/// A duration in Go's format, such as `1h30m`.
fn is_duration(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_digit() && c != '.')
            .unwrap_or(rest.len());
        let (number, tail) = rest.split_at(end);
        let units = ["ns", "us", "µs", "ms", "s", "m", "h", "d", "w"];
        let unit = units
            .iter()
            .filter(|unit| tail.starts_with(**unit))
            .max_by_key(|unit| unit.len());
        match unit {
            Some(unit) if number.parse::<f64>().is_ok() => rest = &tail[unit.len()..],
            _ => return rest == "0" && text == "0",
        }
    }
    !text.is_empty()
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn formats_are_checked() {
        for (format, good, bad) in [
            ("date-time", "2030-01-01T00:00:00Z", "yesterday"),
            ("date", "2030-01-01", "2030-13-01"),
            ("duration", "1h30m", "1 hour"),
            ("ipv4", "10.0.0.1", "10.0.0.256"),
            ("uuid", "00000000-0000-4000-8000-000000000001", "0000"),
        ] {
            assert!(matches(format, good), "{format}: {good}");
            assert!(!matches(format, bad), "{format}: {bad}");
        }
        assert!(matches("of our own", "anything"));
    }
}
