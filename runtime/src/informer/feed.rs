//! A watch that a test plays: it lists once.

use kube::api::ListParams;
use kube::runtime::watcher::Event;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{AnySink, Selection, Sink};

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
    pub(crate) fn new(collection: String, selection: &Selection, sink: AnySink) -> Self {
        Self {
            collection,
            params: ListParams {
                label_selector: selection.labels.clone(),
                field_selector: selection.fields.clone(),
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
            let object: T = serde_json::from_value(object).expect("an object of the API");
            sink.seen(Event::InitApply(&object));
        }
        sink.seen(Event::InitDone);
        sink.on_begin()(0);
    })
}
