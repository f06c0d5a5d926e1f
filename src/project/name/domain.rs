use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::{NameError, name, rule};

/// What is put before a domain to name a Lease, which has to be a DNS subdomain: `0123abcd.`.
const LEASE_PREFIX: usize = 9;

/// The domain that ends every API group of a project, such as `example.com`: a DNS-1123 subdomain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Domain(String);
name!(Domain);

impl FromStr for Domain {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let error = |rule: String| {
            let host = value
                .trim()
                .trim_start_matches("https://")
                .trim_start_matches("http://")
                .trim_end_matches('/');
            NameError::new("domain", value, rule).suggest::<Self>(&rule::guess(host, true))
        };
        // Before the rule of subdomains, which names a longer limit.
        rule::length(value, rule::SUBDOMAIN_MAX - LEASE_PREFIX).map_err(error)?;
        rule::subdomain_1123(value).map_err(error)?;
        if is_protected(value) {
            return Err(
                NameError::new(
                    "domain",
                    value,
                    "reserved for the Kubernetes project; the API server rejects its groups unless approved",
                )
                    .hint("use a domain of your own, such as `example.com`"),
            );
        }
        Ok(Self(value.to_owned()))
    }
}

/// Whether groups of this domain need the annotation `api-approved.kubernetes.io` (KEP-1111).
fn is_protected(domain: &str) -> bool {
    ["k8s.io", "kubernetes.io"]
        .iter()
        .any(|root| domain == *root || domain.ends_with(&format!(".{root}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_subdomains() {
        for good in ["example.com", "my.domain", "a", "1st.example.com", "x-y.z"] {
            assert!(good.parse::<Domain>().is_ok(), "{good}");
        }
    }

    #[test]
    fn leaves_room_for_the_name_of_the_lease() {
        let labels = format!("{0}.{0}.{0}", "a".repeat(63));
        assert!(
            format!("{labels}.{}", "a".repeat(52))
                .parse::<Domain>()
                .is_ok()
        );
        assert!(
            format!("{labels}.{}", "a".repeat(53))
                .parse::<Domain>()
                .is_err()
        );
    }

    fn error_hint(given: &str) -> Option<String> {
        given.parse::<Domain>().expect_err(given).hint
    }

    #[test]
    fn says_what_was_probably_meant() {
        assert_eq!(error_hint("exämple.com"), None);
        for (given, meant) in [
            ("Example.com", "example.com"),
            ("https://example.com/", "example.com"),
            ("my_domain.com", "my-domain.com"),
        ] {
            assert_eq!(error_hint(given), Some(format!("did you mean `{meant}`?")));
        }
    }

    #[test]
    fn refuses_protected_domains() {
        assert!("apps.k8s.io".parse::<Domain>().is_err());
        assert!("notk8s.io".parse::<Domain>().is_ok());
    }
}
