//! Limits token reviews that fail. Every invalid token costs the API server a request, and every
//! client that can connect to the port can send such tokens.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The reviews of all clients together, at once and then one at a time.
pub(super) const ALL: Rate = Rate {
    burst: 40,
    refill: Duration::from_millis(200),
};

/// The reviews of one address, so that one client cannot use up those of the others.
pub(super) const ADDRESS: Rate = Rate {
    burst: 5,
    refill: Duration::from_secs(5),
};

/// At this number of addresses, those that have their whole burst again are removed. The limit of all clients leaves
/// fewer than these: its burst of 40, and 5 more in each of the 25 s that an address takes to recover.
const ADDRESSES: usize = 256;

/// A burst, and then one more in each `refill`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rate {
    pub(super) burst: u32,
    pub(super) refill: Duration,
}

/// The reviews that are left, as a token bucket for each address and one for all.
#[derive(Default)]
pub(super) struct Quota(Mutex<State>);

#[derive(Default)]
struct State {
    all: Bucket,
    addresses: BTreeMap<IpAddr, Bucket>,
}

/// The used reviews, which decrease over time.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    used: f64,
    at: Option<Instant>,
}

impl Quota {
    /// Takes a review for a client, if there is one left.
    pub(super) fn take(&self, client: IpAddr, now: Instant) -> bool {
        let mut state = self.lock();
        if state.addresses.len() >= ADDRESSES {
            let is_used = |bucket: &Bucket| bucket.used_at(now, ADDRESS) > 0.0;
            state.addresses.retain(|_, bucket| is_used(bucket));
        }
        let mut own = state.addresses.get(&client).copied().unwrap_or_default();
        let mut all = state.all;
        if !own.take(now, ADDRESS) || !all.take(now, ALL) {
            return false;
        }
        state.all = all;
        state.addresses.insert(client, own);
        true
    }

    /// Returns a review that did not end in a refusal.
    pub(super) fn release(&self, client: IpAddr) {
        let mut state = self.lock();
        state.all.release();
        if let Some(own) = state.addresses.get_mut(&client) {
            own.release();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Bucket {
    fn take(&mut self, now: Instant, rate: Rate) -> bool {
        let used = self.used_at(now, rate) + 1.0;
        let is_left = used <= f64::from(rate.burst);
        if is_left {
            *self = Self {
                used,
                at: Some(now),
            };
        }
        is_left
    }

    fn release(&mut self) {
        self.used = (self.used - 1.0).max(0.0);
    }

    fn used_at(&self, now: Instant, rate: Rate) -> f64 {
        let passed = self.at.map_or(Duration::ZERO, |at| now - at);
        (self.used - passed.div_duration_f64(rate.refill)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn address(number: u32) -> IpAddr {
        Ipv4Addr::from(number).into()
    }

    /// The number of 1,000 reviews that an address gets.
    fn taken(quota: &Quota, client: u32, now: Instant) -> u32 {
        let taken = (0..1_000).filter(|_| quota.take(address(client), now));
        u32::try_from(taken.count()).unwrap()
    }

    #[test]
    fn an_address_has_a_limit_and_leaves_the_others_theirs() {
        let (quota, now) = (Quota::default(), Instant::now());
        assert_eq!(taken(&quota, 1, now), ADDRESS.burst);
        assert_eq!(taken(&quota, 2, now), ADDRESS.burst);
        assert_eq!(taken(&quota, 1, now + ADDRESS.refill), 1);
        assert_eq!(taken(&quota, 1, now + ADDRESS.refill * 100), ADDRESS.burst);
    }

    #[test]
    fn all_addresses_together_have_a_limit() {
        let (quota, now) = (Quota::default(), Instant::now());
        let flood = |now| (0..5_000).map(|client| taken(&quota, client, now)).sum();
        let first: u32 = flood(now);
        assert_eq!(first, ALL.burst);
        let later: u32 = flood(now + ALL.refill * 3);
        assert_eq!(later, 3);
    }

    #[test]
    fn only_so_many_addresses_are_remembered() {
        let (quota, mut now) = (Quota::default(), Instant::now());
        for client in 0..5_000 {
            now += ALL.refill;
            assert!(quota.take(address(client), now));
            assert!(quota.lock().addresses.len() <= ADDRESSES);
        }
    }

    #[test]
    fn a_review_that_is_given_back_is_not_used() {
        let (quota, now) = (Quota::default(), Instant::now());
        for _ in 0..1_000 {
            assert!(quota.take(address(1), now));
            quota.release(address(1));
        }
    }
}
