//! Parses and evaluates a schedule, in UTC.

use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use k8s_openapi::jiff::{SignedDuration, Timestamp, Zoned, tz::TimeZone};

/// A valid schedule.
pub struct Schedule(Cron);

impl Schedule {
    /// Parses the five fields of a cron schedule.
    ///
    /// # Errors
    /// Returns which field is invalid.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let schedule = Self(parser.parse(text).map_err(|error| error.to_string())?);
        match schedule.next(rop_runtime::now()) {
            Some(_) => Ok(schedule),
            None => Err("never occurs".to_owned()),
        }
    }

    /// Returns the next scheduled time after `time`.
    pub fn next(&self, time: Timestamp) -> Option<Timestamp> {
        let next = self.0.find_next_occurrence(&utc(time), false);
        next.ok().map(|next| next.timestamp())
    }

    /// Returns the last scheduled time, at or before `time`.
    pub fn last(&self, time: Timestamp) -> Option<Timestamp> {
        let last = self.0.find_previous_occurrence(&utc(time), true);
        last.ok().map(|last| last.timestamp())
    }

    /// Returns the interval between the next two scheduled times.
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
    fn the_last_and_next_scheduled_times() {
        let schedule = Schedule::parse("*/15 * * * *").unwrap();
        let now = time("2026-03-01T12:15:30Z");
        assert_eq!(schedule.last(now), Some(time("2026-03-01T12:15:00Z")));
        assert_eq!(schedule.next(now), Some(time("2026-03-01T12:30:00Z")));
        assert_eq!(schedule.interval(now), Some(SignedDuration::from_mins(15)));
        // A scheduled time counts as past.
        let due = time("2026-03-01T12:15:00Z");
        assert_eq!(schedule.last(due), Some(due));
        assert_eq!(schedule.next(due), Some(time("2026-03-01T12:30:00Z")));
    }

    #[test]
    fn an_invalid_schedule_is_an_error() {
        for text in ["", "* * * *", "60 * * * *", "* * * * * *", "0 0 30 2 *"] {
            assert!(Schedule::parse(text).is_err(), "{text:?}");
        }
    }
}
