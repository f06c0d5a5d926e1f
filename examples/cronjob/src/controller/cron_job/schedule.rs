//! When a Job is due, by the clock of UTC.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use k8s_openapi::jiff::{SignedDuration, Timestamp, Zoned, tz::TimeZone};

/// A schedule that can be read.
pub struct Schedule(Cron);

impl Schedule {
    /// Reads the five fields of cron.
    ///
    /// # Errors
    /// Says which field is wrong.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let schedule = Self(parser.parse(text).map_err(|error| error.to_string())?);
        match schedule.next(rop_runtime::now()) {
            Some(_) => Ok(schedule),
            None => Err("never comes".to_owned()),
        }
    }

    /// When a Job is due next, after `time`.
    pub fn next(&self, time: Timestamp) -> Option<Timestamp> {
        let next = self.0.find_next_occurrence(&utc(time), false);
        next.ok().map(|next| next.timestamp())
    }

    /// When a Job was due last, at `time` or before.
    pub fn last(&self, time: Timestamp) -> Option<Timestamp> {
        let last = self.0.find_previous_occurrence(&utc(time), true);
        last.ok().map(|last| last.timestamp())
    }

    /// The time between the next two Jobs.
    pub fn interval(&self, time: Timestamp) -> Option<SignedDuration> {
        let next = self.next(time)?;
        Some(self.next(next)?.duration_since(next))
    }
}

fn utc(time: Timestamp) -> Zoned {
    time.to_zoned(TimeZone::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn the_times_around_a_moment() {
        let schedule = Schedule::parse("*/15 * * * *").unwrap();
        let now = time("2026-03-01T12:15:30Z");
        assert_eq!(schedule.last(now), Some(time("2026-03-01T12:15:00Z")));
        assert_eq!(schedule.next(now), Some(time("2026-03-01T12:30:00Z")));
        assert_eq!(schedule.interval(now), Some(SignedDuration::from_mins(15)));
        // A Job is due at the moment itself.
        let due = time("2026-03-01T12:15:00Z");
        assert_eq!(schedule.last(due), Some(due));
        assert_eq!(schedule.next(due), Some(time("2026-03-01T12:30:00Z")));
    }

    #[test]
    fn what_cannot_be_read_or_never_comes_is_an_error() {
        for text in ["", "* * * *", "60 * * * *", "* * * * * *", "0 0 30 2 *"] {
            assert!(Schedule::parse(text).is_err(), "{text:?}");
        }
    }
}
