//! Durations in flags.

use std::time::Duration;

use k8s_openapi::jiff::SignedDuration;

/// Reads a duration, such as `15s`, `1h30m` or `500ms`. Fails if the text is none, or it is negative.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let duration: SignedDuration = text
        .parse()
        .map_err(|_| "expected for example `15s` or `1h30m`".to_owned())?;
    Duration::try_from(duration).map_err(|_| "a duration cannot be negative".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(parse("15s"), Ok(Duration::from_secs(15)));
        assert_eq!(parse("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
        for text in ["", "15", "-1s", "soon"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
