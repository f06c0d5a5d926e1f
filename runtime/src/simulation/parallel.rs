//! Work on all processors.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does `work` for items on all processors, until it returns that it is the last.
pub(super) fn on_all_processors<T, R: Send>(
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) -> (R, bool) + Sync,
) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let (items, results) = (Mutex::new(items), Mutex::new((Vec::new(), false)));
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let works = || {
        while let Some(item) = next() {
            let (result, is_last) = work(item);
            let (results, is_over) = &mut *results.lock().unwrap_or_else(PoisonError::into_inner);
            results.push(result);
            *is_over |= is_last;
            if *is_over {
                return;
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(works);
        }
    });
    let results = results.into_inner();
    results.unwrap_or_else(PoisonError::into_inner).0
}
