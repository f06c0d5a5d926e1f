//! The consumer of the events of a watch.

use kube::runtime::watcher::Event;

use super::Raw;

/// Is notified of the state of a watch, whatever it delivers.
pub(crate) trait Follower: Send {
    /// Whether the watch has delivered this object before.
    fn has(&self, object: &Raw) -> bool;

    /// The watch failed: until it begins again, cached data may be stale.
    fn failed(&mut self) {}

    /// Returns the function that is called with the revision when the API server accepts the watch. Cached data has the
    /// state of that revision, or a newer one.
    fn on_begin(&self) -> Box<dyn Fn(u64) + Send + Sync> {
        Box::new(|_| ())
    }
}

/// The consumer of the events of a watch.
pub(crate) trait Sink: Follower {
    /// Handles an event.
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

/// Converts the object of an event.
pub(crate) fn map<A, B>(event: Event<A>, convert: impl FnOnce(A) -> B) -> Event<B> {
    match event {
        Event::Apply(object) => Event::Apply(convert(object)),
        Event::Delete(object) => Event::Delete(convert(object)),
        Event::Init => Event::Init,
        Event::InitApply(object) => Event::InitApply(convert(object)),
        Event::InitDone => Event::InitDone,
    }
}
