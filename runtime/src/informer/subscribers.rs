//! The subscribers of a watch.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use kube::runtime::watcher::Event;
use serde::Deserialize;

use super::{Follower, Raw, Selection, Sink, map};
use crate::selector::Requirement;

/// The subscribers of one watch, each of which may select a part of its objects.
struct Subscribers(Vec<Subscriber>);

struct Subscriber {
    /// The label selector, if the watch also delivers other objects.
    labels: Option<Vec<Requirement>>,
    /// Whether it only needs metadata, if the watch delivers whole objects.
    is_metadata: bool,
    sink: Box<dyn Sink>,
}

/// Combines the subscribers of a watch of `selection`, each of which selects the same or a part of it.
pub(crate) fn subscribers(
    selection: &Selection,
    wanted: Vec<(Selection, Box<dyn Sink>)>,
) -> Box<dyn Sink> {
    let subscriber = |(part, sink): (Selection, _)| Subscriber {
        labels: (part.labels != selection.labels)
            .then(|| part.requirements())
            .flatten(),
        is_metadata: part.is_metadata && !selection.is_metadata,
        sink,
    };
    Box::new(Subscribers(wanted.into_iter().map(subscriber).collect()))
}

impl Subscriber {
    /// The event for this subscriber. As from the API server, an object that it no longer selects is deleted.
    fn selected<'a>(&self, event: &Event<&'a Raw>, object: &Object) -> Option<Event<&'a Raw>> {
        let Some(labels) = &self.labels else {
            return Some(event.clone());
        };
        let is_selected = |raw| {
            let labels_of = object.labels(raw);
            let value = |key: &str| labels_of.get(key).map(String::as_str);
            labels.iter().all(|wanted| wanted.holds(value))
        };
        match *event {
            Event::Init | Event::InitDone => Some(event.clone()),
            Event::InitApply(raw) | Event::Apply(raw) | Event::Delete(raw) if is_selected(raw) => {
                Some(event.clone())
            }
            Event::Apply(raw) | Event::Delete(raw) if self.sink.has(raw) => {
                Some(Event::Delete(raw))
            }
            Event::InitApply(_) | Event::Apply(_) | Event::Delete(_) => None,
        }
    }
}

/// The parsed parts of the object of an event, shared by all subscribers.
#[derive(Default)]
struct Object {
    labels: OnceCell<BTreeMap<String, String>>,
    metadata: OnceCell<Raw>,
}

impl Object {
    fn labels(&self, raw: &Raw) -> &BTreeMap<String, String> {
        #[derive(Default, Deserialize)]
        struct Labelled {
            metadata: Metadata,
        }
        #[derive(Default, Deserialize)]
        struct Metadata {
            #[serde(default)]
            labels: Option<BTreeMap<String, String>>,
        }
        self.labels.get_or_init(|| {
            let labelled: Labelled = serde_json::from_str(raw.text()).unwrap_or_default();
            labelled.metadata.labels.unwrap_or_default()
        })
    }
}

impl Sink for Subscribers {
    fn seen(&mut self, event: Event<&Raw>) {
        let object = Object::default();
        for subscriber in &mut self.0 {
            let Some(event) = subscriber.selected(&event, &object) else {
                continue;
            };
            let event = if subscriber.is_metadata {
                map(event, |raw| {
                    object.metadata.get_or_init(|| raw.metadata_alone())
                })
            } else {
                event
            };
            subscriber.sink.seen(event);
        }
    }
}

impl Follower for Subscribers {
    fn has(&self, object: &Raw) -> bool {
        self.0.iter().any(|subscriber| subscriber.sink.has(object))
    }

    fn failed(&mut self) {
        for subscriber in &mut self.0 {
            subscriber.sink.failed();
        }
    }

    fn on_begin(&self) -> Box<dyn Fn(u64) + Send + Sync> {
        let subscribers = self.0.iter();
        let all: Vec<_> = subscribers
            .map(|subscriber| subscriber.sink.on_begin())
            .collect();
        Box::new(move |revision| all.iter().for_each(|begun| begun(revision)))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::{Arc, Mutex};

    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::ResourceExt;
    use kube::core::PartialObjectMeta;
    use serde_json::json;

    use super::*;

    /// Records the events, and the names of the objects that it has.
    #[derive(Clone, Default)]
    struct Notes(Arc<Mutex<(BTreeSet<String>, Vec<String>)>>);

    impl Notes {
        fn take(&self) -> Vec<String> {
            std::mem::take(&mut self.0.lock().unwrap().1)
        }
    }

    impl Follower for Notes {
        fn has(&self, object: &Raw) -> bool {
            self.0.lock().unwrap().0.contains(&object.name_any())
        }

        fn failed(&mut self) {
            self.0.lock().unwrap().1.push("failed".to_owned());
        }

        fn on_begin(&self) -> Box<dyn Fn(u64) + Send + Sync> {
            let notes = Arc::clone(&self.0);
            Box::new(move |revision| notes.lock().unwrap().1.push(format!("begun at {revision}")))
        }
    }

    impl Sink for Notes {
        fn seen(&mut self, event: Event<&Raw>) {
            let (names, notes) = &mut *self.0.lock().unwrap();
            match event {
                Event::InitApply(object) | Event::Apply(object) => names.insert(object.name_any()),
                Event::Delete(object) => names.remove(&object.name_any()),
                Event::Init | Event::InitDone => false,
            };
            notes.push(map(event, Raw::clone).to_string());
        }
    }

    fn labelled(labels: &str) -> Selection {
        Selection {
            labels: Some(labels.to_owned()),
            ..Selection::default()
        }
    }

    fn object(name: &str, color: &str) -> Raw {
        let metadata = json!({ "name": name, "labels": { "color": color } });
        serde_json::from_value(json!({ "metadata": metadata })).unwrap()
    }

    #[test]
    fn each_is_told_of_what_it_selects_as_the_api_server_does() {
        let (all, blue) = (Notes::default(), Notes::default());
        let wanted: Vec<(_, Box<dyn Sink>)> = vec![
            (Selection::default(), Box::new(all.clone())),
            (labelled("color=blue"), Box::new(blue.clone())),
        ];
        let mut sink = subscribers(&Selection::default(), wanted);
        let [a, b, c] = [("a", "blue"), ("b", "red"), ("c", "blue")];
        let [a, b, c] = [a, b, c].map(|(name, color)| object(name, color));
        for event in [Event::Init, Event::InitApply(&a), Event::InitApply(&b)] {
            sink.seen(event);
        }
        sink.seen(Event::InitDone);
        sink.on_begin()(7);
        assert_eq!(
            all.take(),
            [
                "Init",
                "InitApply(a)",
                "InitApply(b)",
                "InitDone",
                "begun at 7"
            ]
        );
        assert_eq!(
            blue.take(),
            ["Init", "InitApply(a)", "InitDone", "begun at 7"]
        );

        sink.seen(Event::Apply(&c));
        sink.seen(Event::Apply(&b));
        // One object matches now, and another no longer does.
        sink.seen(Event::Apply(&object("b", "blue")));
        sink.seen(Event::Apply(&object("a", "red")));
        sink.seen(Event::Apply(&object("a", "red")));
        sink.seen(Event::Delete(&object("a", "red")));
        // Its last change was lost, and then it was deleted.
        sink.seen(Event::Delete(&object("b", "red")));
        sink.seen(Event::Delete(&c));
        sink.failed();
        assert_eq!(
            blue.take(),
            [
                "Apply(c)",
                "Apply(b)",
                "Delete(a)",
                "Delete(b)",
                "Delete(c)",
                "failed"
            ]
        );
        assert_eq!(all.take().len(), 9);
    }

    /// Other fields of an object cannot break a subscriber of its metadata.
    #[test]
    fn who_wants_metadata_gets_no_more_of_a_whole_object() {
        type Maps = PartialObjectMeta<ConfigMap>;
        struct Read(Arc<Mutex<Vec<Maps>>>);
        impl Follower for Read {
            fn has(&self, _: &Raw) -> bool {
                false
            }
        }
        impl Sink for Read {
            fn seen(&mut self, event: Event<&Raw>) {
                let Event::Apply(raw) = event else { return };
                self.0.lock().unwrap().push(raw.read().expect("metadata"));
            }
        }
        let read = Arc::default();
        let metadata = Selection {
            is_metadata: true,
            ..Selection::default()
        };
        let wanted: Vec<(_, Box<dyn Sink>)> = vec![(metadata, Box::new(Read(Arc::clone(&read))))];
        let mut sink = subscribers(&Selection::default(), wanted);
        let (open, close) = (r#"{"a":"#.repeat(300), "}".repeat(300));
        let text = format!(
            r#"{{ "metadata": {{ "name": "a", "labels": {{ "x": "y" }} }}, "data": {open}1{close} }}"#
        );
        sink.seen(Event::Apply(&serde_json::from_str(&text).unwrap()));
        let read = read.lock().unwrap();
        assert_eq!(read[0].metadata.labels.as_ref().unwrap()["x"], "y");
        let kind = read[0].types.as_ref().map(|types| &*types.kind);
        assert_eq!(kind, Some("PartialObjectMetadata"));
    }
}
