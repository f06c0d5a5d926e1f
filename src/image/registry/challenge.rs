use http_auth::parser::ChallengeParser;
use reqwest::header::{HeaderMap, WWW_AUTHENTICATE};

/// What a registry wants to see before it lets somebody in.
#[derive(Debug, PartialEq)]
pub(super) enum Challenge {
    /// A token, which another server gives.
    Bearer {
        realm: String,
        service: Option<String>,
    },
    /// A name and a password.
    Basic,
}

impl Challenge {
    /// Reads what a registry answers: a token where it takes one.
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let headers = headers.get_all(WWW_AUTHENTICATE).into_iter();
        let texts = headers.filter_map(|header| header.to_str().ok());
        let challenges = texts.flat_map(|text| ChallengeParser::new(text).filter_map(Result::ok));
        let mut basic = None;
        for challenge in challenges {
            let parameter = |name: &str| {
                let mut parameters = challenge.params.iter();
                let found = parameters.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
                Some(found.1.to_unescaped())
            };
            if challenge.scheme.eq_ignore_ascii_case("Bearer")
                && let Some(realm) = parameter("realm")
            {
                let service = parameter("service");
                return Some(Self::Bearer { realm, service });
            }
            if challenge.scheme.eq_ignore_ascii_case("Basic") {
                basic = Some(Self::Basic);
            }
        }
        basic
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(texts: &[&'static str]) -> Option<Challenge> {
        let mut headers = HeaderMap::new();
        for text in texts {
            headers.append(WWW_AUTHENTICATE, text.parse().expect("a header"));
        }
        Challenge::of(&headers)
    }

    #[test]
    fn a_token_is_preferred() {
        let bearer = Challenge::Bearer {
            realm: "https://auth.example.com/token".to_owned(),
            service: Some("r".to_owned()),
        };
        let text = "Bearer realm=\"https://auth.example.com/token\",service=\"r\",scope=\"x\"";
        assert_eq!(read(&["Basic realm=\"x\"", text]), Some(bearer));
        assert_eq!(read(&["basic realm=\"x\""]), Some(Challenge::Basic));
    }

    #[test]
    fn what_nobody_understands_is_no_challenge() {
        for text in [
            "",
            "Bearer",
            "Bearer realm",
            "Negotiate",
            "\"",
            "=,=,=",
            "Bearer service=\"x\"",
        ] {
            assert_eq!(read(&[text]), None, "{text}");
        }
        assert_eq!(read(&[]), None);
    }
}
