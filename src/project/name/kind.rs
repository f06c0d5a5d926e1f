use std::str::FromStr;

use heck::{ToSnakeCase, ToUpperCamelCase};
use serde::{Deserialize, Serialize};

use super::{NameError, name, rule, rust};

/// A kind, such as `AppService`.
///
/// Lowercased it must be a DNS-1035 label, and so must the kind of its list: `List` behind it has
/// to fit into 63 characters. Other operators have kinds such as `postgresql` and `my-kind`; one of the project's own
/// starts with a capital and has no `-`, as [`Kind::check_own`] says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Kind(String);
name!(Kind);

const LIST: &str = "List";

impl Kind {
    /// The kind as the API server's `singular` name, and as part of file names: `appservice`.
    pub fn lower(&self) -> String {
        self.0.to_lowercase()
    }

    /// The kind of its lists: `AppServiceList`.
    pub fn list(&self) -> String {
        format!("{}{LIST}", self.0)
    }

    /// The Rust module of the kind: `app_service`.
    pub fn module(&self) -> String {
        rust::module(&self.0.to_snake_case())
    }

    /// The Rust type of the kind: the kind itself, or `OptionResource` for a kind `Option`, whose
    /// own name would hide one that the generated code uses.
    pub fn type_name(&self) -> String {
        let name = self.rust_name();
        if rust::type_is_taken(&name) {
            format!("{name}Resource")
        } else {
            name
        }
    }

    /// The kind as Rust writes a type: `Postgresql` for `postgresql`.
    pub fn rust_name(&self) -> String {
        match self.check_own() {
            Ok(()) => self.0.clone(),
            Err(_) => self.0.to_upper_camel_case(),
        }
    }

    /// Checks that a project can have the kind as its own: it is the name of a Rust type.
    ///
    /// # Errors
    /// It has a `-`, or starts with a small letter.
    pub fn check_own(&self) -> Result<(), NameError> {
        let rule = match () {
            () if self.0.contains('-') => "only letters and digits are allowed, not '-'",
            () if self.0.starts_with(|c: char| c.is_ascii_lowercase()) => {
                "must start with a capital letter"
            }
            () => return Ok(()),
        };
        Err(error(&self.0, rule.to_owned()))
    }

    /// The Rust type of the kind, if it is one of another operator: the module of its types uses more names.
    pub fn external_type_name(&self) -> String {
        let mut names = ["", "Resource", "Kind"]
            .iter()
            .map(|end| format!("{}{end}", self.rust_name()));
        let free = names.find(|name| !rust::external_type_is_taken(name));
        free.unwrap_or_else(|| self.type_name())
    }

    /// What the API server would not tell apart from this kind: it compares without case.
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl FromStr for Kind {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let error = |rule| error(value, rule);
        rule::length(value, rule::LABEL_MAX - LIST.len()).map_err(error)?;
        if let Some(c) = value
            .chars()
            .find(|c| !c.is_ascii_alphanumeric() && *c != '-')
        {
            return Err(error(format!(
                "only letters and digits are allowed, not {c:?}"
            )));
        }
        if !value.starts_with(|c: char| c.is_ascii_alphabetic()) {
            return Err(error("must start with a letter".into()));
        }
        if value.ends_with('-') {
            return Err(error("must end with a letter or a digit".into()));
        }
        Ok(Self(value.to_owned()))
    }
}

fn error(value: &str, rule: String) -> NameError {
    NameError::new("kind", value, rule).suggest::<Kind>(&value.to_upper_camel_case())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_its_type_and_module() {
        for (kind, type_name, module) in [
            ("AppService", "AppService", "app_service"),
            ("HTTPRoute", "HTTPRoute", "http_route"),
            ("MySQLCluster", "MySQLCluster", "my_sql_cluster"),
            ("Kafka2Topic", "Kafka2Topic", "kafka2_topic"),
            ("Type", "Type", "type_"),
            ("Self", "SelfResource", "self_"),
            ("Option", "OptionResource", "option"),
            ("Deployment", "DeploymentResource", "deployment"),
            ("postgresql", "Postgresql", "postgresql"),
            ("my-kind", "MyKind", "my_kind"),
            ("option", "OptionResource", "option"),
        ] {
            let kind: Kind = kind.parse().expect(kind);
            assert_eq!(kind.type_name(), type_name);
            assert_eq!(kind.module(), module);
        }
        for (kind, type_name) in [
            ("Widget", "Widget"),
            ("Api", "ApiKind"),
            ("Toleration", "TolerationResource"),
            ("Serializer", "SerializerResource"),
            ("DateTime", "DateTimeResource"),
            ("Hash", "HashResource"),
            ("Option", "OptionResource"),
        ] {
            let kind: Kind = kind.parse().expect(kind);
            assert_eq!(kind.external_type_name(), type_name);
        }
    }

    #[test]
    fn says_what_was_probably_meant() {
        for given in ["appService", "app_service", "app-service", "App Service"] {
            let kind = given.parse::<Kind>();
            let error = kind.and_then(|kind| kind.check_own()).expect_err(given);
            assert_eq!(error.hint.as_deref(), Some("did you mean `AppService`?"));
        }
        assert!("9Lives".parse::<Kind>().is_err());
        assert!("Ä".parse::<Kind>().is_err());
        assert!("a-".parse::<Kind>().is_err());
    }

    #[test]
    fn leaves_room_for_the_list() {
        assert!("A".repeat(59).parse::<Kind>().is_ok());
        assert!("A".repeat(60).parse::<Kind>().is_err());
    }
}
