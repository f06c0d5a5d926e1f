//! The consumer of the events of a watch.

use kube::runtime::watcher::Event;

use super::Raw;

/// Who is told how a watch goes, whatever it reads.
pub(crate) trait Follower: Send {
    /// Whether it has this object from its watch, as it was.
    fn has(&self, object: &Raw) -> bool;

    /// The watch failed: until it begins again, what is known may be old.
    fn failed(&mut self) {}

    /// What is called when the API server lets the watch begin, with the revision from which. What is known
    /// is as it was at that revision, or newer.
    fn on_begin(&self) -> Box<dyn Fn(u64) + Send + Sync> {
        Box::new(|_| ())
    }
}

/// The consumer of the events of a watch.
pub(crate) trait Sink: Follower {
    /// Takes an event.
    fn seen(&mut self, event: Event<&Raw>);
}

/// The event with a reference to its object.
pub(crate) fn by_ref<T>(event: &Event<T>) -> Event<&T> {
    match event {
        Event::Apply(object) => Event::Apply(object),
        Event::Delete(object) => Event::Delete(object),
        Event::Init => Event::Init,
        Event::InitApply(object) => Event::InitApply(object),
        Event::InitDone => Event::InitDone,
    }
}

/// The event with what `convert` makes of its object.
pub(crate) fn map<A, B>(event: Event<A>, convert: impl FnOnce(A) -> B) -> Event<B> {
    match event {
        Event::Apply(object) => Event::Apply(convert(object)),
        Event::Delete(object) => Event::Delete(convert(object)),
        Event::Init => Event::Init,
        Event::InitApply(object) => Event::InitApply(convert(object)),
        Event::InitDone => Event::InitDone,
    }
}
