//! Types that tasks and webhooks read from a cache.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::Manager;
use crate::cache::Cache;
use crate::context::Caches;
use crate::kinds::{Watched, name_of, spelled};
use crate::synced::Synced;
use crate::watch::Watch;

/// The types that the manager reads.
#[derive(Clone, Default)]
pub(crate) struct Reads {
    pub(crate) caches: Caches,
    synced: BTreeMap<TypeId, Vec<Synced>>,
}

impl Reads {
    /// The first lists of a type that is read.
    #[cfg(feature = "webhook")]
    pub(crate) fn synced<T: Watched>(&self) -> Option<&[Synced]> {
        self.synced.get(&TypeId::of::<T>()).map(Vec::as_slice)
    }
}

impl<S: Send + Sync + 'static> Manager<S> {
    /// Watches the objects of a type in every replica, so that [tasks](Self::task) can read them
    /// with [`Context::cached`](crate::Context::cached), and webhooks with `Request::cached`. The
    /// watches of controllers only run in the leader.
    ///
    /// ```no_run
    /// use k8s_openapi::api::core::v1::Node;
    /// use rop_runtime::{Context, Error, Manager, RunsOn};
    ///
    /// async fn count(context: Context) -> Result<(), Error> {
    ///     println!("{} nodes", context.cached::<Node>()?.list().len());
    ///     Ok(())
    /// }
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// manager.reads::<Node>();
    /// manager.task("count", RunsOn::Leader, count);
    /// # }
    /// ```
    pub fn reads<T: Watched>(&mut self) {
        self.reads_with::<T>(Watch::new());
    }

    /// Like [`reads`](Self::reads), for selected objects. A type can be read only once: with a
    /// second selection, [`run`](Self::run) returns an error.
    ///
    /// ```no_run
    /// # use rop_runtime::Manager;
    /// use k8s_openapi::api::core::v1::Node;
    /// use rop_runtime::Watch;
    ///
    /// # fn register(manager: &mut Manager<()>) {
    /// manager.reads_with(Watch::<Node>::new().labels("pool=batch"));
    /// # }
    /// ```
    pub fn reads_with<T: Watched>(&mut self, watch: Watch<T>) {
        let (cache, synced) = self.cache_everywhere(&watch);
        self.reads.synced.insert(TypeId::of::<T>(), synced);
        if !add(&mut self.reads.caches, cache) {
            self.faults.push(twice::<T>("the manager"));
        }
    }
}

/// Adds the cache of a type that is read. Returns false if there was already another.
pub(crate) fn add<T: Watched>(reads: &mut Caches, cache: Arc<Cache<T>>) -> bool {
    let other = reads.get::<T>();
    let is_new = other.is_none_or(|other| Arc::ptr_eq(&other, &cache));
    reads.insert(cache);
    is_new
}

/// The error for a type that is read with two selections.
pub(crate) fn twice<T: Watched>(reader: &str) -> String {
    format!(
        "{reader} reads {} with two selections, but `context.cached::<{}>()` supports one: read it once, with a \
         selection that covers both",
        name_of::<T>(),
        spelled::<T>()
    )
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Secret};

    use super::*;
    use crate::testing::FakeApi;
    use crate::{Action, Context, Error, Identity};

    const IDENTITY: Identity = Identity::new("app", "1.0.0");

    async fn reconcile(_: Arc<Namespace>, context: Context) -> Result<Action, Error> {
        let read = context.cached::<Secret>()?.list();
        assert_eq!(names(&read), ["blue"]);
        Ok(Action::await_change())
    }

    fn names(secrets: &[Arc<Secret>]) -> Vec<&str> {
        let names = secrets.iter().map(|secret| secret.metadata.name.as_deref());
        names.map(Option::unwrap_or_default).collect()
    }

    fn labelled(value: &str) -> Watch<Secret> {
        Watch::new().labels(format!("color={value}"))
    }

    fn secret(color: &str) -> Secret {
        let mut secret = Secret::default();
        secret.metadata.name = Some(color.to_owned());
        secret.metadata.namespace = Some("shop".to_owned());
        let labels = [("color".to_owned(), color.to_owned())];
        secret.metadata.labels = Some(labels.into());
        secret
    }

    /// The errors of a registration.
    fn faults(register: impl FnOnce(&mut Manager<()>)) -> Vec<String> {
        let mut faults = Vec::new();
        let _ = FakeApi::new(IDENTITY, (), |manager| {
            register(manager);
            faults = std::mem::take(&mut manager.faults);
        });
        faults
    }

    #[tokio::test]
    async fn a_controller_has_what_it_reads() {
        for reads_first in [true, false] {
            let api = FakeApi::new(IDENTITY, (), |manager| {
                let controller = manager.controller(reconcile);
                let watches = |_: &Secret, _: &_| Vec::new();
                if reads_first {
                    controller
                        .reads_with(labelled("blue"))
                        .watches(watches)
                        .start();
                } else {
                    controller
                        .watches_with(labelled("red"), watches)
                        .reads_with(labelled("blue"))
                        .start();
                }
            });
            api.put(&secret("blue"));
            api.put(&secret("red"));
            let mut namespace = Namespace::default();
            namespace.metadata.name = Some("shop".to_owned());
            api.put(&namespace);
            api.reconcile("shop").await.unwrap();
        }
    }

    #[tokio::test]
    async fn two_selections_of_a_type_are_a_fault() {
        let faults_of = faults(|manager| {
            let controller = manager.controller(reconcile).reads_with(labelled("blue"));
            controller.reads_with(labelled("red")).start();
            manager.reads_with(labelled("blue"));
            manager.reads::<Secret>();
        });
        let rest = "reads secrets with two selections, but `context.cached::<Secret>()` supports one: read it once, with a \
                    selection that covers both";
        let expected =
            ["the controller `namespace`", "the manager"].map(|it| format!("{it} {rest}"));
        assert_eq!(faults_of, expected);
        let none = faults(|manager| {
            let controller = manager.controller(reconcile).reads_with(labelled("blue"));
            controller.reads_with(labelled("blue")).start();
            manager.reads::<Secret>();
            manager.reads::<Secret>();
        });
        assert!(none.is_empty(), "{none:?}");
    }

    #[tokio::test]
    async fn a_task_sees_what_the_manager_reads_and_what_controllers_watch_in_full() {
        let api = FakeApi::new(IDENTITY, (), |manager| {
            manager.reads_with(labelled("blue"));
            let controller = manager.controller(reconcile).reads::<Secret>();
            controller.owns_whole::<ConfigMap>().start();
        });
        api.put(&secret("blue"));
        api.put(&secret("red"));
        let context = api.context();
        assert_eq!(names(&context.cached::<Secret>().unwrap().list()), ["blue"]);
        assert!(context.cached::<Namespace>().is_ok());
        let error = context.cached::<ConfigMap>().err().unwrap().to_string();
        let expected =
            "tasks have no cache of configmaps: add `manager.reads::<ConfigMap>()` to `register`";
        assert_eq!(error, expected);
    }
}
