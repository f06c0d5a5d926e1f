//! The last answers to who may scrape, kept for a short while: few scrapes need to ask the API server,
//! and a flood of them is no flood of reviews.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use ring::digest::{SHA256, digest};

use super::access::Access;

/// How many answers are kept at most.
const LIMIT: usize = 256;

/// How long someone may scrape on whose permission has been withdrawn.
const ALLOWED_FOR: Duration = Duration::from_secs(60);

/// How long someone is refused who has been given permission.
const REFUSED_FOR: Duration = Duration::from_secs(10);

/// The SHA-256 of a token. The token itself is not kept.
#[derive(Clone, Copy, Eq, Hash, PartialEq)]
pub(super) struct Key([u8; 32]);

impl Key {
    pub(super) fn of(token: &str) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, token.as_bytes()).as_ref());
        Self(hash)
    }
}

/// The last answers, by token.
#[derive(Default)]
pub(super) struct Answers(Mutex<HashMap<Key, (Access, Instant)>>);

impl Answers {
    /// The answer, if it is still good.
    pub(super) fn get(&self, key: Key, now: Instant) -> Option<Access> {
        let answers = self.lock();
        let (access, until) = answers.get(&key)?;
        (now < *until).then_some(*access)
    }

    /// Keeps an answer, where there is no room instead of the one that ends first.
    pub(super) fn keep(&self, key: Key, access: Access, now: Instant) {
        let time = match access {
            Access::Allowed => ALLOWED_FOR,
            Access::Unauthorized | Access::Forbidden => REFUSED_FOR,
        };
        let mut answers = self.lock();
        if answers.len() >= LIMIT {
            answers.retain(|_, (_, until)| now < *until);
        }
        if answers.len() >= LIMIT
            && let Some((&first, _)) = answers.iter().min_by_key(|(_, (_, until))| *until)
        {
            answers.remove(&first);
        }
        answers.insert(key, (access, now + time));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, (Access, Instant)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{ALLOWED_FOR, Access, Answers, Instant, Key, LIMIT, REFUSED_FOR};

    #[test]
    fn answers_are_good_for_a_while() {
        let (answers, now) = (Answers::default(), Instant::now());
        let [good, bad] = ["good", "bad"].map(Key::of);
        answers.keep(good, Access::Allowed, now);
        answers.keep(bad, Access::Unauthorized, now);
        assert_eq!(answers.get(good, now), Some(Access::Allowed));
        assert_eq!(answers.get(bad, now), Some(Access::Unauthorized));
        assert_eq!(answers.get(bad, now + REFUSED_FOR), None);
        assert_eq!(answers.get(good, now + REFUSED_FOR), Some(Access::Allowed));
        assert_eq!(answers.get(good, now + ALLOWED_FOR), None);
        assert_eq!(answers.get(Key::of("other"), now), None);
    }

    #[test]
    fn refusals_make_room_first() {
        let (answers, now) = (Answers::default(), Instant::now());
        let good = Key::of("good");
        answers.keep(good, Access::Allowed, now);
        for number in 0..LIMIT * 4 {
            let key = Key::of(&number.to_string());
            answers.keep(key, Access::Unauthorized, now);
            assert!(answers.lock().len() <= LIMIT);
        }
        assert_eq!(answers.get(good, now), Some(Access::Allowed));
    }
}
