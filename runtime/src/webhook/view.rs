//! The caches and the client for webhooks.

use std::fmt;
use std::sync::{Arc, OnceLock};

use kube::Client;

use crate::Error;
use crate::cache::Store;
use crate::controller::listed;
use crate::kinds::{Watched, name_of, spelled};
use crate::manager::reads::Reads;

/// The view of webhooks on the cluster. Clones share it.
#[derive(Clone, Default)]
pub(crate) struct View(Arc<OnceLock<Cluster>>);

struct Cluster {
    client: Client,
    reads: Reads,
}

impl View {
    /// Opens it when everything is registered.
    pub(crate) fn open(&self, client: Client, reads: Reads) {
        // A manager runs once.
        let _ = self.0.set(Cluster { client, reads });
    }

    pub(super) fn client(&self) -> Result<&Client, Error> {
        Ok(&self.cluster()?.client)
    }

    /// The cache of a type, once it has synced.
    pub(super) async fn cached<T: Watched>(&self) -> Result<Store<T>, Error> {
        let reads = &self.cluster()?.reads;
        let (Some(cache), Some(synced)) = (reads.caches.get::<T>(), reads.synced::<T>()) else {
            let (name, kind) = (name_of::<T>(), spelled::<T>());
            let message = format!(
                "webhooks have no cache of {name}: add `manager.reads::<{kind}>()` to `register`"
            );
            return Err(Error::terminal("NotWatched", message));
        };
        listed(synced.to_vec()).await;
        Ok(Store(cache))
    }

    fn cluster(&self) -> Result<&Cluster, Error> {
        self.0.get().ok_or_else(|| {
            let why = "a request from `Request::new` has no caches: use `FakeApi::request`";
            Error::terminal("NoCluster", why)
        })
    }
}

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("View")
    }
}
