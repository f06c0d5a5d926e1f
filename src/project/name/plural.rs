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
        word if is_regular(word) => format!("{word}s"),
        _ => pluralizer::pluralize(last, 2, false),
    };
    format!("{}{plural}", before.replace('_', ""))
}

/// The last letters of words whose plural needs no rule, but for [`IRREGULAR`].
const REGULAR_ENDINGS: &str = "bcdegklprtvw";

/// Words with regular endings whose plural is another one, and words that are plurals.
const IRREGULAR: &str = "\
    adulthood advice aid aircraft alcohol anime are blood butter carp clothing cod commerce dice die \
    elk equipment expertise feet firmware flounder foot garbage geese goose hardware have he her \
    homework housework justice labour lice literature louse mackerel mail me moose mud music our \
    personnel pike police rice sewage she shrimp software swine that their these those traffic trout \
    we welfare were whiting wildebeest wildlife";

/// Endings of more such words: `knife`, `reindeer`.
const IRREGULAR_ENDINGS: &str = "ae child deer ese fe mice mouse people sheep";

/// Whether the plural of a word only adds an `s`. The crate compiles its rules on first use, which takes as long as the
/// rest of a command.
fn is_regular(word: &str) -> bool {
    word.ends_with(|last| REGULAR_ENDINGS.contains(last))
        && !IRREGULAR.split(' ').any(|it| word == it)
        && !IRREGULAR_ENDINGS.split(' ').any(|it| word.ends_with(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The crate forms the same plural of each word that rop treats as regular.
    #[test]
    fn regular_words_need_no_rule() {
        let letters = || 'a'..='z';
        let pairs = letters().flat_map(|a| letters().map(move |b| format!("{a}{b}")));
        let endings = pairs.flat_map(|two| letters().map(move |c| format!("{two}{c}")));
        let words = endings.flat_map(|it| [format!("qu{it}"), it]);
        for word in words.filter(|word| is_regular(word)) {
            let plural = pluralizer::pluralize(&word, 2, false);
            assert_eq!(plural, format!("{word}s"));
        }
        for word in IRREGULAR.split(' ') {
            let plural = pluralizer::pluralize(word, 2, false);
            assert_ne!(plural, format!("{word}s"));
        }
    }

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
