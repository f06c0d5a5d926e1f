//! The words of a name, and how Rust spells them.

/// Words that name nothing in Rust, and those that are kept for later.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate",
    "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl",
    "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref",
    "return", "self", "static", "struct", "super", "trait", "true", "try", "type", "typeof",
    "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// The words of a name: `dnsNames` → `dns`, `names`; `podIPs` → `pod`, `ips`; `HTTPRoute` → `http`, `route`.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words = Vec::new();
    for part in name.split(|c: char| !c.is_ascii_alphanumeric()) {
        let letters: Vec<char> = part.chars().collect();
        let mut word = String::new();
        for (index, letter) in letters.iter().enumerate() {
            let before = index.checked_sub(1).map(|index| letters[index]);
            if letter.is_ascii_uppercase()
                && before.is_some_and(|before| {
                    !before.is_ascii_uppercase() || starts_a_word(&letters[index..])
                })
            {
                words.push(std::mem::take(&mut word));
            }
            word.push(letter.to_ascii_lowercase());
        }
        words.push(word);
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a capital behind another one starts a word: that of `Route` in `HTTPRoute`, but not that of `Ps` in `IPs`.
fn starts_a_word(rest: &[char]) -> bool {
    let small = rest.iter().skip(1).take_while(|c| c.is_ascii_lowercase());
    !matches!(small.collect::<String>().as_str(), "" | "s")
}

/// The name of a type: `dnsNames` → `DnsNames`. Empty for a name without letters and digits.
pub(super) fn pascal(name: &str) -> String {
    let words = words(name).into_iter().map(|mut word| {
        word[..1].make_ascii_uppercase();
        word
    });
    words.collect()
}

/// The name of one of many: `dnsNames` → `DnsName`.
pub(super) fn singular(name: &str) -> String {
    let mut words = words(name);
    if let Some(last) = words.last_mut() {
        *last = pluralizer::pluralize(last, 1, false);
    }
    pascal(&words.join("_"))
}

/// The name of a field: `dnsNames` → `dns_names`, `type` → `type_`.
pub(super) fn snake(name: &str) -> String {
    identifier(words(name).join("_"), "field")
}

/// A word that Rust takes as a name.
pub(super) fn identifier(word: String, unnamed: &str) -> String {
    match word.as_bytes() {
        [] => unnamed.to_owned(),
        [b'0'..=b'9', ..] => format!("_{word}"),
        _ if KEYWORDS.contains(&&*word) || word == "Self" => format!("{word}_"),
        _ => word,
    }
}

/// What serde makes of the name of a field by `rename_all = "camelCase"`.
pub(super) fn camel(field: &str) -> String {
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
    camel
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
            ("$", "field", ""),
        ] {
            assert_eq!(snake(name), field);
            assert_eq!(pascal(name), type_name);
        }
        assert_eq!(
            singular("additionalOutputPolicies"),
            "AdditionalOutputPolicy"
        );
        assert!(KEYWORDS.is_sorted());
    }

    #[test]
    fn serde_gives_most_names_back() {
        for name in ["dnsNames", "type", "a"] {
            assert_eq!(camel(&snake(name)), name);
        }
        assert_eq!(camel("pod_ips"), "podIps");
    }
}
