//! A watch for tests, which lists once.

use kube::api::ListParams;
use kube::runtime::watcher::Event;
use serde_json::Value;

use super::{Raw, Selection, Sink};

/// A watch for tests, which lists once.
pub(crate) struct Feed {
    /// The path of the collection.
    pub(crate) collection: String,
    /// The selected objects of the collection.
    pub(crate) params: ListParams,
    sink: Box<dyn Sink>,
}

impl Feed {
    /// Passes the selected objects of a collection to a sink.
    pub(crate) fn new(collection: String, selection: &Selection, sink: Box<dyn Sink>) -> Self {
        Self {
            collection,
            params: ListParams {
                label_selector: selection.labels.clone(),
                field_selector: selection.fields.clone(),
                ..ListParams::default()
            },
            sink,
        }
    }

    /// Handles a complete list.
    pub(crate) fn take(&mut self, objects: Vec<Value>) {
        self.sink.seen(Event::Init);
        for object in objects {
            let object: Raw = serde_json::from_value(object).expect("an object of the API");
            self.sink.seen(Event::InitApply(&object));
        }
        self.sink.seen(Event::InitDone);
        self.sink.on_begin()(0);
    }
}
