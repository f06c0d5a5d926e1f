//! Caches authorization results for a short time, so that most scrapes need no request to the API
//! server.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ring::digest::{SHA256, digest};
use tokio::time::Instant;

/// Maximum number of answers that are kept.
const LIMIT: usize = 256;

/// How long a client can scrape after its permission has been withdrawn.
const ALLOWED_FOR: Duration = Duration::from_secs(60);

/// How long a client is refused after it has been given permission.
const REFUSED_FOR: Duration = Duration::from_secs(10);

/// How long a token that was allowed is known as one that exists. Its review needs no quota then.
const KNOWN_FOR: Duration = Duration::from_secs(3600);

/// Whether a client is allowed to scrape.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Access {
    /// The client is authorized.
    Allowed,
    /// The API server rejected the token.
    Unauthorized,
    /// The client is authenticated but not authorized.
    Forbidden,
}

/// The SHA-256 of a token. The token itself is not kept.
#[derive(Clone, Copy, Eq, Ord, PartialEq, PartialOrd)]
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
pub(super) struct Answers(Mutex<BTreeMap<Key, Kept>>);

/// An answer, and when it was given.
#[derive(Clone, Copy)]
struct Kept {
    access: Access,
    at: Instant,
}

impl Kept {
    /// When a new review is needed.
    fn valid_until(&self) -> Instant {
        self.at
            + match self.access {
                Access::Allowed => ALLOWED_FOR,
                Access::Unauthorized | Access::Forbidden => REFUSED_FOR,
            }
    }

    /// When it is removed.
    fn kept_until(&self) -> Instant {
        match self.access {
            Access::Allowed => self.at + KNOWN_FOR,
            Access::Unauthorized | Access::Forbidden => self.valid_until(),
        }
    }
}

impl Answers {
    /// The answer, if it is still valid.
    pub(super) fn get(&self, key: Key, now: Instant) -> Option<Access> {
        let kept = *self.lock().get(&key)?;
        (now < kept.valid_until()).then_some(kept.access)
    }

    /// Whether the last review of a token allowed it, and was not long ago.
    pub(super) fn was_allowed(&self, key: Key, now: Instant) -> bool {
        let kept = self.lock().get(&key).copied();
        kept.is_some_and(|kept| kept.access == Access::Allowed && now < kept.kept_until())
    }

    /// Keeps an answer. If the cache is full, the answer that would be removed first is dropped.
    pub(super) fn keep(&self, key: Key, access: Access, now: Instant) {
        let mut answers = self.lock();
        if answers.len() >= LIMIT {
            answers.retain(|_, kept| now < kept.kept_until());
        }
        if answers.len() >= LIMIT
            && let Some((&first, _)) = answers.iter().min_by_key(|(_, kept)| kept.kept_until())
        {
            answers.remove(&first);
        }
        answers.insert(key, Kept { access, at: now });
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<Key, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{ALLOWED_FOR, Access, Answers, Instant, KNOWN_FOR, Key, LIMIT, REFUSED_FOR};

    #[test]
    fn answers_are_valid_for_a_while() {
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
    fn a_token_is_known_until_it_is_refused_or_not_used_for_long() {
        let (answers, now) = (Answers::default(), Instant::now());
        let good = Key::of("good");
        assert!(!answers.was_allowed(good, now));
        answers.keep(good, Access::Allowed, now);
        assert!(answers.was_allowed(good, now + ALLOWED_FOR));
        assert!(!answers.was_allowed(good, now + KNOWN_FOR));
        answers.keep(good, Access::Unauthorized, now);
        assert!(!answers.was_allowed(good, now));
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
