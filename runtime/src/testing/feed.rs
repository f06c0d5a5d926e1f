//! Plays a watch.

use kube::runtime::watcher::{self, Event};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::server::State;
use crate::informer::Sink;

/// Plays a watch: it lists what there is.
pub(crate) struct Feed {
    collection: String,
    labels: Vec<(String, String)>,
    take: Box<dyn FnMut(Vec<Value>) + Send>,
}

impl Feed {
    /// One that lists a collection, as far as its labels are selected, to a sink.
    pub(crate) fn new<T>(
        collection: String,
        config: &watcher::Config,
        mut sink: impl Sink<T> + 'static,
    ) -> Self
    where
        T: DeserializeOwned,
    {
        let selector = config.label_selector.as_deref().unwrap_or_default();
        let pairs = selector.split(',').filter_map(|pair| pair.split_once('='));
        Self {
            collection,
            labels: pairs
                .map(|(label, value)| (label.to_owned(), value.to_owned()))
                .collect(),
            take: Box::new(move |objects| {
                sink.seen(Event::Init);
                for object in objects {
                    let object = serde_json::from_value(object).expect("an object of the kind");
                    sink.seen(Event::InitApply(object));
                }
                sink.seen(Event::InitDone);
            }),
        }
    }

    /// Lists what there is.
    pub(super) fn take(&mut self, state: &State) {
        let objects = state.store.list(&self.collection).into_iter();
        let is_selected = |object: &&Value| {
            let labels = &object["metadata"]["labels"];
            let mut wanted = self.labels.iter();
            wanted.all(|(label, value)| labels[label] == **value)
        };
        (self.take)(objects.filter(is_selected).cloned().collect());
    }
}
