use std::str::FromStr;

use heck::ToSnakeCase;
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
        Self(pluralize(kind))
    }

    /// Whether it is the kind with an `s` behind it, as anybody would guess.
    pub fn is_plain(&self, kind: &Kind) -> bool {
        self.0.strip_suffix('s') == Some(kind.lower().as_str())
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
        let meant = rule::guess(value, false);
        match rule::label_1035(&meant) {
            Ok(()) if meant != value => error.hint(format!("did you mean `{meant}`?")),
            _ => error,
        }
    })?;
    Ok(value.to_owned())
}

/// The English plural of the last word of a kind: `BigFish` gives `bigfish`, `AppMan` `appmen`.
fn pluralize(kind: &Kind) -> String {
    let words = kind.as_str().to_snake_case();
    let (before, last) = words.rsplit_once('_').unwrap_or(("", &words));
    let plural = match last {
        // Where the crate's plural is rarer than the one that the field, and kubebuilder, have.
        "corpus" => "corpora".to_owned(),
        "medium" => "media".to_owned(),
        "memorandum" => "memoranda".to_owned(),
        "money" => "money".to_owned(),
        "schema" => "schemas".to_owned(),
        "virus" => "viruses".to_owned(),
        "waltz" => "waltzes".to_owned(),
        _ => pluralizer::pluralize(last, 2, false),
    };
    format!("{}{plural}", before.replace('_', ""))
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
            ("Analysis", "analyses"),
            ("Crisis", "crises"),
            ("Man", "men"),
            ("Sheep", "sheep"),
            ("Knife", "knives"),
            ("Tomato", "tomatoes"),
            ("Redis", "redis"),
            ("AppMan", "appmen"),
            ("Person", "people"),
            ("SSHKey", "sshkeys"),
            ("Status", "statuses"),
            ("Endpoints", "endpoints"),
            ("Fish", "fish"),
            ("Datum", "data"),
            ("Series", "series"),
            ("ImageSchema", "imageschemas"),
            ("Medium", "media"),
            ("Kafka2Topic", "kafka2topics"),
            ("A1", "a1s"),
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
