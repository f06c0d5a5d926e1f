//! The words of a name, and how Rust spells them.

use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use super::source::{Identifier, is_letter, plain};

/// Words of one thing that end as those of many do.
const SINGULAR: &[&str] = &[
    "acs",
    "aks",
    "aws",
    "axis",
    "basis",
    "bias",
    "canvas",
    "cephfs",
    "chaos",
    "cifs",
    "cors",
    "css",
    "dbus",
    "ebs",
    "ecs",
    "efs",
    "eks",
    "fips",
    "fs",
    "gcs",
    "gks",
    "gps",
    "hdfs",
    "https",
    "ios",
    "ipvs",
    "jenkins",
    "js",
    "kms",
    "kubernetes",
    "lens",
    "macos",
    "nats",
    "nfs",
    "ntfs",
    "os",
    "postgres",
    "qos",
    "rds",
    "redis",
    "rootfs",
    "ros",
    "sas",
    "ses",
    "sms",
    "sns",
    "sqs",
    "sts",
    "tmpfs",
    "xfs",
    "zfs",
];

/// The words of a name: `dnsNames` → `dns`, `names`; `podIPs` → `pod`, `ips`; `HTTPRoute` → `http`, `route`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    let name = letters(name);
    for part in name.split(|c| !is_letter(c)) {
        let letters: Vec<char> = part.chars().collect();
        let mut word = String::new();
        for (index, letter) in letters.iter().enumerate() {
            let before = index.checked_sub(1).map(|index| letters[index]);
            if letter.is_uppercase()
                && before.is_some_and(|before| {
                    !before.is_uppercase() || starts_a_word(&letters[index..])
                })
            {
                words.push(std::mem::take(&mut word));
            }
            word.extend(letter.to_lowercase());
        }
        words.push(word);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A name with one character for each letter, and with letters that can stand in a name in the place of those that look
/// like them.
fn letters(name: &str) -> String {
    let mut letters = String::new();
    for c in name.nfc().filter(|c| !is_combining_mark(*c)) {
        match plain(c) {
            Some(plain) => letters += plain,
            None => letters.push(c),
        }
    }
    letters
}

/// Whether a capital behind another one starts a word: that of `Route` in `HTTPRoute`, but not those of `Ps` in `IPs` and
/// `Pv6` in `IPv6`.
fn starts_a_word(rest: &[char]) -> bool {
    let small: String = rest
        .iter()
        .skip(1)
        .take_while(|c| c.is_lowercase())
        .collect();
    let behind = rest.get(1 + small.chars().count());
    let is_version = small == "v" && behind.is_some_and(char::is_ascii_digit);
    !is_version && !matches!(small.as_str(), "" | "s")
}

/// The name of a type: `dnsNames` → `DnsNames`. Empty for a name without letters and digits.
pub(super) fn pascal(name: &str) -> String {
    let words = words(name).into_iter().map(|word| {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters).collect::<String>()
    });
    words.collect()
}

/// The name of one of many: `dnsNames` → `DnsName`.
pub(super) fn singular(name: &str) -> String {
    let mut words = words(name);
    if let Some(last) = words.last_mut()
        && !is_singular(last)
    {
        *last = pluralizer::pluralize(last, 1, false);
    }
    pascal(&words.join("_"))
}

/// Whether a word is one thing, however it ends: `dns`.
fn is_singular(word: &str) -> bool {
    SINGULAR.contains(&word) || word.ends_with("dns") || word.ends_with("tls")
}

/// The name of a field: `dnsNames` → `dns_names`, `type` → `type_`.
pub(super) fn snake(name: &str) -> Identifier {
    Identifier::of(&words(name).join("_"), "field")
}

/// What serde makes of the name of a field by `rename_all = "camelCase"`. Nothing if that starts with a letter that is not
/// ASCII: its derive would panic.
pub(super) fn camel(field: &str) -> Option<String> {
    let mut camel = String::new();
    let mut capital = false;
    for letter in field.chars() {
        match letter {
            '_' => capital = true,
            letter if capital && !camel.is_empty() => {
                camel.push(letter.to_ascii_uppercase());
                capital = false;
            }
            letter => {
                camel.push(letter);
                capital = false;
            }
        }
    }
    camel.starts_with(|c: char| c.is_ascii()).then_some(camel)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_rust() {
        for (name, field, type_name) in [
            ("dnsNames", "dns_names", "DnsNames"),
            ("podIPs", "pod_ips", "PodIps"),
            ("HTTPRoute", "http_route", "HttpRoute"),
            ("type", "type_", "Type"),
            (
                "x-kubernetes-thing",
                "x_kubernetes_thing",
                "XKubernetesThing",
            ),
            ("$ref", "ref_", "Ref"),
            ("1st", "_1st", "1st"),
            ("sha256Sum", "sha256_sum", "Sha256Sum"),
            ("IPv6", "ipv6", "Ipv6"),
            ("podIPv4CIDRs", "pod_ipv4_cidrs", "PodIpv4Cidrs"),
            ("ACLVersion", "acl_version", "AclVersion"),
            ("größe", "größe", "Größe"),
            ("gro\u{308}ße", "größe", "Größe"),
            ("GRÖSSEÄnderung", "grösse_änderung", "GrösseÄnderung"),
            ("ähnlich", "ähnlich", "Ähnlich"),
            ("Æther_\u{131}", "aether_i", "AetherI"),
            ("名前", "field", ""),
            ("$", "field", ""),
        ] {
            assert_eq!(snake(name).as_str(), field);
            assert_eq!(pascal(name), type_name);
        }
        for (name, expected) in [
            ("additionalOutputPolicies", "AdditionalOutputPolicy"),
            ("tls", "Tls"),
            ("mTLS", "MTls"),
            ("dns", "Dns"),
            ("coreDNS", "CoreDns"),
            ("nfs", "Nfs"),
            ("podIPs", "PodIp"),
            ("dbs", "Db"),
            ("refs", "Ref"),
            ("urls", "Url"),
            ("status", "Status"),
            ("addresses", "Address"),
            ("aliases", "Alias"),
        ] {
            assert_eq!(singular(name), expected);
        }
        assert!(SINGULAR.is_sorted());
    }

    #[test]
    fn serde_gives_most_names_back() {
        for name in ["dnsNames", "type", "a", "größe"] {
            assert_eq!(camel(snake(name).as_str()).as_deref(), Some(name));
        }
        assert_eq!(camel("pod_ips").as_deref(), Some("podIps"));
        assert_eq!(camel("ähnlich"), None);
    }
}
