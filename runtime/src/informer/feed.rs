//! A watch that a test plays: it lists once.

use kube::api::ListParams;
use kube::runtime::watcher::{self, Event};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{AnySink, Sink};

/// Takes a whole list.
type Take = Box<dyn FnMut(Vec<Value>) + Send>;

/// A watch that a test plays: it lists once.
pub(crate) struct Feed {
    /// The path of the collection.
    pub(crate) collection: String,
    /// What is selected of it.
    pub(crate) params: ListParams,
    take: Take,
}

impl Feed {
    /// One that gives what is selected of a collection to a sink.
    pub(crate) fn new(collection: String, config: &watcher::Config, sink: AnySink) -> Self {
        Self {
            collection,
            params: ListParams {
                label_selector: config.label_selector.clone(),
                field_selector: config.field_selector.clone(),
                ..ListParams::default()
            },
            take: match sink {
                AnySink::Live(sink) => listed(sink),
                AnySink::Raw(sink) => listed(sink),
            },
        }
    }

    /// Takes a whole list.
    pub(crate) fn take(&mut self, objects: Vec<Value>) {
        (self.take)(objects);
    }
}

fn listed<T: DeserializeOwned + 'static>(mut sink: Box<dyn Sink<T>>) -> Take {
    Box::new(move |objects| {
        sink.seen(Event::Init);
        for object in objects {
            let object = serde_json::from_value(object).expect("an object of the API");
            sink.seen(Event::InitApply(object));
        }
        sink.seen(Event::InitDone);
        sink.on_begin()(0);
    })
}
