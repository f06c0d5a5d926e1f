use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{Kind, NameError, name, rule};

/// The resource of a kind, as it stands in a URL: `appservices`, a DNS-1035 label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Plural(String);
name!(Plural);

impl Plural {
    /// The English plural of a kind, where nobody asked for another.
    pub fn of(kind: &Kind) -> Self {
        Self(pluralize(&kind.lower()))
    }
}

impl FromStr for Plural {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        label("plural", value).map(Self)
    }
}

/// A short name or a category of a kind: a DNS-1035 label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Label(String);
name!(Label);

impl FromStr for Label {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        label("short name or category", value).map(Self)
    }
}

fn label(what: &'static str, value: &str) -> Result<String, NameError> {
    rule::label_1035(value).map_err(|rule| {
        let error = NameError::new(what, value, rule);
        let meant = rule::dns_like(value, false);
        match rule::label_1035(&meant) {
            Ok(()) if meant != value => error.hint(format!("did you mean `{meant}`?")),
            _ => error,
        }
    })?;
    Ok(value.to_owned())
}

/// Words whose plural no rule gives. A compound kind ends in them too: `BigFish`.
const IRREGULAR: [(&str, &str); 12] = [
    ("child", "children"),
    ("criterion", "criteria"),
    ("data", "data"),
    ("datum", "data"),
    ("fish", "fish"),
    ("index", "indices"),
    ("leaf", "leaves"),
    ("matrix", "matrices"),
    ("person", "people"),
    ("quiz", "quizzes"),
    ("series", "series"),
    ("species", "species"),
];

fn pluralize(word: &str) -> String {
    if let Some((stem, plural)) = IRREGULAR
        .iter()
        .find_map(|(singular, plural)| Some((word.strip_suffix(singular)?, plural)))
    {
        return format!("{stem}{plural}");
    }
    let ends = |suffixes: &[&str]| suffixes.iter().any(|s| word.ends_with(s));
    if let Some(stem) = word.strip_suffix('y')
        && !ends(&["ay", "ey", "iy", "oy", "uy"])
        && !stem.is_empty()
    {
        return format!("{stem}ies");
    }
    if ends(&["ss", "us", "is", "as", "x", "z", "ch", "sh"]) {
        return format!("{word}es");
    }
    if word.len() > 1 && word.ends_with('s') {
        return word.to_owned();
    }
    format!("{word}s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_are_english() {
        for (kind, plural) in [
            ("AppService", "appservices"),
            ("Policy", "policies"),
            ("Proxy", "proxies"),
            ("Gateway", "gateways"),
            ("Bus", "buses"),
            ("Box", "boxes"),
            ("Match", "matches"),
            ("Ingress", "ingresses"),
            ("Redis", "redises"),
            ("Endpoints", "endpoints"),
            ("Fish", "fish"),
            ("Datum", "data"),
            ("Series", "series"),
            ("Kafka2Topic", "kafka2topics"),
            ("A1", "a1s"),
            ("S", "ss"),
            ("Y", "ys"),
        ] {
            let kind: Kind = kind.parse().expect(kind);
            assert_eq!(Plural::of(&kind).as_str(), plural);
        }
    }

    #[test]
    fn every_plural_is_a_label() {
        // The longest kind gets the longest plural: four characters more than a label has room for
        // cannot happen, since `List` took as many.
        for kind in [
            "A".repeat(59),
            format!("{}Fish", "A".repeat(55)),
            format!("{}Quiz", "A".repeat(55)),
        ] {
            let kind: Kind = kind.parse().expect("a kind");
            assert!(
                Plural::of(&kind).as_str().parse::<Plural>().is_ok(),
                "{kind}"
            );
        }
    }
}
