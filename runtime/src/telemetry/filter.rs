//! Filters the logged spans and events.

use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::filter::{FilterExt, LevelFilter, Targets, filter_fn};
use tracing_subscriber::layer::Filter;

use super::SPAN;

/// kube's own span around each reconcile. Ours contains more.
const KUBE_SPAN: &str = "kube_runtime::controller";

/// kube warns about each failure of a watch, with a dump of the response. Ours is one line, once.
const KUBE_WATCHES: &str = "kube_runtime::watcher";

/// The target under which kube warns about a response that it cannot parse, with its whole text.
const KUBE_ANSWERS: &str = "kube_client::client";

/// A filter by levels. The span around each reconcile is always enabled, because it names the object.
///
/// Warnings with whole responses are dropped: specs and Secrets do not belong in logs, and the error is also reported
/// without the text. To see them, name their target: `info,kube_client::client=warn`.
pub(super) fn of<S: Subscriber>(levels: Targets) -> impl Filter<S> {
    let shows_answers = levels.iter().any(|(target, _)| target == KUBE_ANSWERS);
    let shows_watches = levels.would_enable(KUBE_WATCHES, &Level::DEBUG);
    let mut levels = levels.with_target(KUBE_SPAN, LevelFilter::WARN);
    if !shows_watches {
        levels = levels.with_target(KUBE_WATCHES, LevelFilter::ERROR);
    }
    if !levels.would_enable(SPAN, &Level::INFO) {
        levels = levels.with_target(SPAN, LevelFilter::INFO);
    }
    // Not with a target in `levels`, which would also drop the targets below it, such as the one for an unreadable CA
    // bundle.
    levels.and(filter_fn(move |event: &Metadata<'_>| {
        shows_answers || event.target() != KUBE_ANSWERS || *event.level() != Level::WARN
    }))
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing::subscriber::with_default;
    use tracing::{info_span, warn};
    use tracing_subscriber::prelude::*;
    use tracing_subscriber::{fmt, registry};

    use super::*;

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Log {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// The log of `work` with these levels.
    fn log(levels: &str, work: impl FnOnce()) -> String {
        let (log, levels) = (Log::default(), levels.parse::<Targets>().unwrap());
        let writer = log.clone();
        let lines = fmt::layer().with_writer(move || writer.clone());
        with_default(registry().with(lines.with_filter(of(levels))), work);
        String::from_utf8(log.0.lock().unwrap().clone()).unwrap()
    }

    #[test]
    fn answers_are_not_logged_unless_their_target_is_named() {
        let work = || {
            warn!(target: "kube_client::client", "the whole object");
            warn!(target: "kube_client::client::tls", "a CA bundle");
            warn!(target: "app", "a warning");
        };
        for levels in ["info", "debug", "info,kube=debug"] {
            let text = log(levels, work);
            assert!(!text.contains("the whole object"), "{levels}: {text}");
            assert!(text.contains("a CA bundle") && text.contains("a warning"));
        }
        let text = log("info,kube_client::client=warn", work);
        assert!(text.contains("the whole object"), "{text}");
    }

    #[test]
    fn kube_tells_of_a_watch_that_fails_if_it_is_asked_to() {
        let work = || warn!(target: "kube_runtime::watcher", "an answer in full");
        assert!(!log("info", work).contains("in full"));
        for levels in ["debug", "info,kube_runtime=debug"] {
            assert!(log(levels, work).contains("in full"), "{levels}");
        }
    }

    #[test]
    fn the_object_is_named_whatever_the_levels() {
        let text = log("warn", || {
            let span =
                info_span!(target: "rop_runtime::controller", "reconcile", object = "shop/web");
            span.in_scope(|| warn!(target: "app", "failed"));
        });
        assert!(text.contains("shop/web"), "{text}");
    }

    #[test]
    fn the_target_of_kube_is_as_it_was() {
        // The target is the path of the module: a rename in kube would make the filter useless.
        assert!(std::any::type_name::<kube::Client>().starts_with(KUBE_ANSWERS));
    }
}
