use std::thread;
use std::time::{Duration, Instant};

use crate::error::Result;

/// Where it is said what is waited for.
pub type Say<'a> = &'a mut dyn FnMut(&str);

/// How often it is asked.
const PAUSE: Duration = Duration::from_millis(500);

/// What a command can wait, in seconds: the clock cannot count to any number.
const LONGEST: u64 = 8760 * 60 * 60;

/// What a look at the cluster showed.
pub(crate) enum Look<T> {
    /// What was waited for.
    Done(T),
    /// Not yet: how far it is.
    NotYet(String),
}

/// Looks again and again, at least once more when the time is over. `Err` holds how far it was.
pub(crate) fn until<T>(
    timeout: Duration,
    say: Say<'_>,
    mut look: impl FnMut() -> Result<Look<T>>,
) -> Result<Result<T, String>> {
    let deadline = Instant::now() + timeout;
    let mut reported = String::new();
    loop {
        let is_over = Instant::now() >= deadline;
        match look()? {
            Look::Done(value) => return Ok(Ok(value)),
            Look::NotYet(state) if is_over => return Ok(Err(state)),
            Look::NotYet(state) => {
                if state != reported {
                    say(&state);
                    reported = state;
                }
            }
        }
        thread::sleep(PAUSE.min(deadline.saturating_duration_since(Instant::now())));
    }
}

/// Reads a time as kubectl takes it: `90s`, `2m`, `1m30s`, `1h`.
///
/// # Errors
/// It is none.
pub fn parse_timeout(text: &str) -> Result<Duration, String> {
    let wrong = || "expected a duration such as `90s`, `2m` or `1m30s`".to_owned();
    let mut seconds = 0_u64;
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let number: u64 = rest[..end].parse().map_err(|_| wrong())?;
        let (unit, length) = match &rest.as_bytes()[end..] {
            [b'h', ..] => (3600, 1),
            [b'm', ..] => (60, 1),
            [b's', ..] => (1, 1),
            _ => return Err(wrong()),
        };
        seconds = number
            .checked_mul(unit)
            .and_then(|n| seconds.checked_add(n))
            .ok_or_else(wrong)?;
        rest = &rest[end + length..];
    }
    if seconds > LONGEST {
        Err("expected at most `8760h`, a year".to_owned())
    } else if text.is_empty() {
        Err(wrong())
    } else {
        Ok(Duration::from_secs(seconds))
    }
}

/// A time as people write it.
pub(crate) fn humane(time: Duration) -> String {
    match (time.as_secs() / 60, time.as_secs() % 60) {
        (0, seconds) => format!("{seconds}s"),
        (minutes, 0) => format!("{minutes}m"),
        (minutes, seconds) => format!("{minutes}m{seconds}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_times() {
        for (text, seconds) in [
            ("90s", 90),
            ("2m", 120),
            ("1m30s", 90),
            ("1h", 3600),
            ("0s", 0),
        ] {
            let time = parse_timeout(text).expect(text);
            assert_eq!(time, Duration::from_secs(seconds), "{text}");
        }
        assert_eq!(humane(Duration::from_secs(90)), "1m30s");
        for text in [
            "",
            "90",
            "m",
            "1x",
            "1 m",
            "-1s",
            "99999999999999999999s",
            "9999999999999999999h",
            "5000000000000000h",
            "8761h",
        ] {
            assert!(parse_timeout(text).is_err(), "{text}");
        }
    }

    #[test]
    fn looks_once_more_when_the_time_is_over() {
        let mut looks = 0;
        let mut messages = Vec::new();
        let state = until(
            Duration::ZERO,
            &mut |text| messages.push(text.to_owned()),
            || {
                looks += 1;
                Ok(Look::<()>::NotYet("no".into()))
            },
        );
        assert_eq!(state.expect("no error"), Err("no".to_owned()));
        assert_eq!((looks, messages.len()), (1, 0));
    }
}
