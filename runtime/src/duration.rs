//! Parses durations from flags, code and responses of the API server.

use std::time::Duration;

use k8s_openapi::jiff::SignedDuration;

/// Maximum duration. Longer ones make no difference to an operator, but would overflow a clock.
pub(crate) const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// Parses a duration, such as `15s`, `1h30m` or `500ms`. Fails if the text is not a duration, or is negative.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let duration: SignedDuration = text
        .parse()
        .map_err(|_| "expected for example `15s` or `1h30m`".to_owned())?;
    let duration =
        Duration::try_from(duration).map_err(|_| "a duration cannot be negative".to_owned())?;
    Ok(duration.min(LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units() {
        assert_eq!(parse("15s"), Ok(Duration::from_secs(15)));
        assert_eq!(parse("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(parse("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse("9999999999h"), Ok(LONGEST));
        for text in ["", "15", "-1s", "soon"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
