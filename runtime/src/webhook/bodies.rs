//! Limits the total size of reviews in progress. At the limit, the client with the largest share
//! loses its incomplete requests first.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

/// The memory of a request in addition to its body: its headers and its task.
const REQUEST: usize = 8 << 10;

/// The sizes of all bodies.
pub(super) struct Bodies {
    most: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    total: usize,
    next: u64,
    held: BTreeMap<u64, Held>,
    peers: BTreeMap<IpAddr, OfPeer>,
}

/// The bodies of a client.
#[derive(Default)]
struct OfPeer {
    total: usize,
    /// The incomplete bodies, the largest last.
    unfinished: BTreeSet<(usize, u64)>,
}

struct Held {
    peer: IpAddr,
    bytes: usize,
    is_complete: bool,
    cut: CancellationToken,
}

/// There is no room for the rest of a body.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Full;

impl Bodies {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            state: Mutex::default(),
        }
    }

    /// The maximum share of a client.
    fn share(&self) -> usize {
        self.most / 4 * 3
    }

    /// Counts a request of a client until the part is dropped.
    pub(super) fn begin(self: &Arc<Self>, peer: IpAddr) -> Result<Part, Full> {
        let cut = CancellationToken::new();
        let mut state = self.state();
        let id = state.next;
        state.next += 1;
        let held = Held {
            peer,
            bytes: 0,
            is_complete: false,
            cut: cut.clone(),
        };
        state.held.insert(id, held);
        drop(state);
        let bodies = Arc::clone(self);
        let part = Part { bodies, id, cut };
        part.grow(REQUEST)?;
        Ok(part)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn of_peer(&self, peer: IpAddr) -> usize {
        self.peers.get(&peer).map_or(0, |peer| peer.total)
    }

    /// The body to drop for others: the largest incomplete one, of the client with the largest share.
    fn victim(&self, peer: Option<IpAddr>) -> Option<u64> {
        let largest = |of: &OfPeer| of.unfinished.last().copied();
        let peers = match peer {
            Some(peer) => self.peers.range(peer..=peer),
            None => self.peers.range::<IpAddr, _>(..),
        };
        let candidates = peers.filter_map(|(_, of)| Some((of.total, largest(of)?)));
        candidates.max().map(|(_, (_, id))| id)
    }

    /// Updates the size of a request: zero once its body is dropped.
    fn set(&mut self, id: u64, bytes: usize) {
        let Some(held) = self.held.get_mut(&id) else {
            return;
        };
        let peer = self.peers.entry(held.peer).or_default();
        peer.unfinished.remove(&(held.bytes, id));
        if !held.is_complete && bytes > 0 {
            peer.unfinished.insert((bytes, id));
        }
        peer.total = peer.total - held.bytes + bytes;
        self.total = self.total - held.bytes + bytes;
        held.bytes = bytes;
    }

    /// Removes a request.
    fn remove(&mut self, id: u64) {
        self.set(id, 0);
        let peer = self.held.remove(&id).map(|held| held.peer);
        if let Some(peer) = peer
            && self.of_peer(peer) == 0
        {
            self.peers.remove(&peer);
        }
    }
}

/// The size of one request.
pub(super) struct Part {
    bodies: Arc<Bodies>,
    id: u64,
    /// Cancelled when the request is dropped for others.
    pub(super) cut: CancellationToken,
}

impl Part {
    /// Adds received bytes.
    ///
    /// # Errors
    /// If there is no room for them.
    pub(super) fn grow(&self, bytes: usize) -> Result<(), Full> {
        let mut state = self.bodies.state();
        let (most, share) = (self.bodies.most, self.bodies.share());
        let held = state.held.get_mut(&self.id).ok_or(Full)?;
        let (peer, grown) = (held.peer, held.bytes + bytes);
        state.set(self.id, grown);
        loop {
            let is_greedy = state.of_peer(peer) > share;
            if !is_greedy && state.total <= most {
                return Ok(());
            }
            match state.victim(is_greedy.then_some(peer)) {
                Some(victim) if victim != self.id => {
                    state.set(victim, 0);
                    if let Some(held) = state.held.get(&victim) {
                        held.cut.cancel();
                    }
                }
                _ => {
                    state.set(self.id, 0);
                    return Err(Full);
                }
            }
        }
    }

    /// Marks the body as complete.
    pub(super) fn complete(&self) {
        let mut state = self.bodies.state();
        if let Some(held) = state.held.get_mut(&self.id) {
            held.is_complete = true;
            let bytes = held.bytes;
            state.set(self.id, bytes);
        }
    }

    /// Sets the size to that of the response, which replaces the body.
    pub(super) fn becomes(&self, bytes: usize) {
        self.bodies.state().set(self.id, REQUEST + bytes);
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        self.bodies.state().remove(self.id);
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use super::*;

    fn peer(last: u8) -> IpAddr {
        Ipv4Addr::new(10, 0, 0, last).into()
    }

    #[test]
    fn the_client_that_has_most_loses_what_is_unfinished() {
        let bodies = Arc::new(Bodies::new(400 << 10));
        let greedy: Vec<_> = (0..2).map(|_| bodies.begin(peer(1)).unwrap()).collect();
        greedy[0].grow(100 << 10).unwrap();
        greedy[1].grow(180 << 10).unwrap();
        // The share of a client is three quarters.
        assert_eq!(greedy[0].grow(20 << 10), Ok(()));
        assert!(greedy[1].cut.is_cancelled() && !greedy[0].cut.is_cancelled());
        let other = bodies.begin(peer(2)).unwrap();
        assert_eq!(other.grow(150 << 10), Ok(()));
        other.complete();
        assert_eq!(
            bodies.state().total,
            (120 << 10) + (150 << 10) + 2 * REQUEST
        );
        let third = bodies.begin(peer(3)).unwrap();
        assert_eq!(third.grow(110 << 10), Ok(()));
        assert!(greedy[0].cut.is_cancelled());
        assert!(!other.cut.is_cancelled());
        // Complete bodies are never dropped.
        assert_eq!(third.grow(250 << 10), Err(Full));
        assert!(!other.cut.is_cancelled());
        drop((greedy, other, third));
        assert_eq!(bodies.state().total, 0);
        assert!(bodies.state().peers.is_empty());
    }

    #[test]
    fn requests_without_a_body_count_as_well() {
        let bodies = Arc::new(Bodies::new(16 * REQUEST));
        let many: Vec<_> = (0..100).map(|_| bodies.begin(peer(1))).collect();
        let kept = many
            .iter()
            .flatten()
            .filter(|part| !part.cut.is_cancelled());
        assert!(kept.count() <= 12);
        assert!(bodies.begin(peer(2)).is_ok());
    }
}
