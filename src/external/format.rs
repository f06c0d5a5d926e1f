//! The formats of strings that an API server checks.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::expression::expression;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use chrono::{DateTime, NaiveDate};

/// Whether a text is of a format. Of formats that an API server does not know every text is.
pub(super) fn holds(format: &str, text: &str) -> bool {
    let matches = |pattern: &str| expression(pattern).is_some_and(|pattern| pattern.is_match(text));
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    // API servers do not tell `date-time` from `datetime`.
    match format.replace('-', "").as_str() {
        "bsonobjectid" => matches("^[0-9a-f]{24}$"),
        "byte" => BASE64_STANDARD.decode(text).is_ok(),
        "cidr" => text.split_once('/').is_some_and(|(address, bits)| {
            let most = match (address.parse::<Ipv4Addr>(), address.parse::<Ipv6Addr>()) {
                (Ok(_), _) => 32,
                (_, Ok(_)) => 128,
                _ => return false,
            };
            bits.parse::<u8>().is_ok_and(|bits| bits <= most)
        }),
        "creditcard" => digits == 16,
        "date" => text.parse::<NaiveDate>().is_ok(),
        "datetime" => DateTime::parse_from_rfc3339(text).is_ok(),
        "duration" => matches(r"^\d+(\.\d+)? ?(ns|us|µs|ms|s|m|h|d|w|days?)?$"),
        "email" => matches(r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$"),
        "hexcolor" => matches("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"),
        "hostname" => matches(
            r"^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(\.[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?)*$",
        ),
        "ipv4" => text.parse::<Ipv4Addr>().is_ok(),
        "ipv6" => text.parse::<Ipv6Addr>().is_ok(),
        "isbn" => digits == 10 || digits == 13,
        "isbn10" => digits == 10,
        "isbn13" => digits == 13,
        "mac" => matches("^([0-9a-f]{2}[:-]){5}[0-9a-f]{2}$"),
        "rgbcolor" => matches(r"^rgb\(\d{1,3},\d{1,3},\d{1,3}\)$"),
        "ssn" => matches(r"^\d{3}-?\d{2}-?\d{4}$"),
        "uri" => matches(r"^[a-z][a-z0-9+.-]*://.|^/"),
        "uuid" => matches("^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$"),
        "uuid3" => matches("^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$"),
        "uuid4" => {
            matches("^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$")
        }
        "uuid5" => {
            matches("^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$")
        }
        _ => true,
    }
}
