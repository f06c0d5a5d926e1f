use futures::FutureExt;

use super::*;

const SECOND: Duration = Duration::from_secs(1);

fn queue() -> Arc<Queue> {
    let queue = Queue::new(ControllerMetrics::for_tests());
    queue.open();
    queue
}

fn key(name: &str) -> Key {
    Key::new(Some("shop"), name)
}

/// The next object that is ready now.
fn ready(queue: &Queue) -> Option<(String, Cause)> {
    let (key, cause) = queue.next().now_or_never()?;
    Some((key.name.clone(), cause))
}

#[tokio::test(start_paused = true)]
async fn an_object_is_there_once_in_the_order_in_which_it_came() {
    let queue = queue();
    for name in ["a", "b", "a"] {
        queue.add(key(name), Cause::Changed);
    }
    assert_eq!(queue.depth(), 2);
    assert_eq!(ready(&queue), Some(("a".to_owned(), Cause::Changed)));
    assert_eq!(ready(&queue), Some(("b".to_owned(), Cause::Changed)));
    assert_eq!(ready(&queue), None);
}

#[tokio::test(start_paused = true)]
async fn what_happened_comes_before_what_was_listed() {
    let queue = queue();
    queue.add(key("listed"), Cause::Listed);
    queue.add(key("due"), Cause::Resync);
    queue.add(key("both"), Cause::Listed);
    queue.add(key("changed"), Cause::Changed);
    queue.add(key("both"), Cause::Triggered);
    assert_eq!(queue.depth(), 4);
    let mut all = Vec::new();
    while let Some((name, cause)) = ready(&queue) {
        all.push(format!("{name}: {cause}"));
    }
    let expected = [
        "changed: changed",
        "both: triggered",
        "listed: listed",
        "due: resync",
    ];
    assert_eq!(all, expected);
}

#[tokio::test(start_paused = true)]
async fn changes_do_not_hold_up_for_ever_what_was_listed() {
    let queue = queue();
    queue.add(key("listed"), Cause::Listed);
    let mut count = 0;
    while count < 100 {
        count += 1;
        queue.add(key(&format!("changed-{count}")), Cause::Changed);
        queue.add(key(&format!("more-{count}")), Cause::Changed);
        if ready(&queue).is_some_and(|(name, _)| name == "listed") {
            break;
        }
    }
    assert_eq!(count, 8);
}

#[tokio::test(start_paused = true)]
async fn that_a_child_is_gone_is_not_lost_behind_another_cause() {
    let queue = queue();
    let gone = Cause::Gone {
        kind: "secrets".into(),
        name: "web".to_owned(),
    };
    queue.add(key("a"), Cause::Changed);
    queue.add(key("a"), gone.clone());
    queue.add(key("a"), Cause::Changed);
    assert_eq!(ready(&queue), Some(("a".to_owned(), gone)));
    assert_eq!(ready(&queue), None);
}

#[tokio::test(start_paused = true)]
async fn the_longest_time_is_one() {
    let queue = queue();
    queue.add_after(&Arc::new(key("a")), Duration::MAX, Cause::Requeued);
    assert_eq!(ready(&queue), None);
}

#[tokio::test(start_paused = true)]
async fn an_object_is_handed_out_once_until_it_is_done() {
    let queue = queue();
    queue.add(key("a"), Cause::Listed);
    let (handed_out, _) = queue.next().await;
    queue.add(key("a"), Cause::Changed);
    queue.add(key("a"), Cause::Requeued);
    assert_eq!(ready(&queue), None);
    queue.done(&handed_out);
    assert_eq!(ready(&queue), Some(("a".to_owned(), Cause::Changed)));
    assert_eq!(ready(&queue), None);
}

#[tokio::test(start_paused = true)]
async fn later_means_later_and_the_earlier_of_two_times_counts() {
    let queue = queue();
    let a = Arc::new(key("a"));
    queue.add_after(&a, 10 * SECOND, Cause::Resync);
    queue.add_after(&a, 2 * SECOND, Cause::Retried);
    queue.add_after(&a, 5 * SECOND, Cause::Requeued);
    assert_eq!(ready(&queue), None);
    let start = Instant::now();
    let (_, cause) = queue.next().await;
    assert_eq!((start.elapsed(), cause), (2 * SECOND, Cause::Retried));
    queue.done(&a);
    let again = tokio::time::timeout(60 * SECOND, queue.next()).await;
    assert!(again.is_err());
}

#[tokio::test(start_paused = true)]
async fn what_happens_now_takes_the_place_of_what_was_for_later() {
    let queue = queue();
    let a = Arc::new(key("a"));
    queue.add_after(&a, SECOND, Cause::Resync);
    queue.add(key("a"), Cause::Changed);
    assert!(ready(&queue).is_some());
    queue.done(&a);
    assert!(queue.lock().items.is_empty() && queue.lock().timers.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_timer_that_comes_due_during_a_reconcile_waits_for_its_end() {
    let queue = queue();
    let a = Arc::new(key("a"));
    queue.add(key("a"), Cause::Changed);
    let _ = queue.next().await;
    queue.add_after(&a, SECOND, Cause::Requeued);
    tokio::time::advance(2 * SECOND).await;
    assert_eq!(ready(&queue), None);
    queue.done(&a);
    assert_eq!(ready(&queue), Some(("a".to_owned(), Cause::Requeued)));
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_held_is_ready_when_it_is_delivered() {
    let queue = queue();
    let a = Arc::new(key("a"));
    queue.add(key("a"), Cause::Listed);
    let _ = queue.next().await;
    queue.hold(&a, 5 * SECOND, Cause::Changed);
    queue.done(&a);
    assert_eq!(ready(&queue), None);
    queue.release(&a);
    assert_eq!(ready(&queue), Some(("a".to_owned(), Cause::Changed)));
    // An object that only has a timer is not held.
    queue.add_after(&a, SECOND, Cause::Resync);
    queue.done(&a);
    queue.release(&a);
    assert_eq!(ready(&queue), None);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_gone_has_no_timer() {
    let queue = queue();
    let a = Arc::new(key("a"));
    queue.add_after(&a, SECOND, Cause::Resync);
    queue.forget(&a);
    assert!(queue.lock().items.is_empty() && queue.lock().timers.is_empty());
    // A running reconcile still ends.
    queue.add(key("a"), Cause::Changed);
    let (handed_out, _) = queue.next().await;
    queue.forget(&a);
    queue.add(key("a"), Cause::Changed);
    queue.done(&handed_out);
    assert!(ready(&queue).is_some());
}

/// In any order of calls, no object is reconciled twice at the same time, and none is lost.
#[tokio::test(start_paused = true)]
async fn at_random_no_two_reconciles_of_one_object_meet() {
    fastrand::seed(7);
    let queue = queue();
    let names = ["a", "b", "c", "d"];
    let mut running: Vec<Arc<Key>> = Vec::new();
    let mut wanted = BTreeSet::new();
    for _ in 0..20_000 {
        let name = names[fastrand::usize(..names.len())];
        match fastrand::u8(..5) {
            0 => {
                queue.add(key(name), Cause::Changed);
                wanted.insert(name.to_owned());
            }
            1 => {
                let delay = SECOND * fastrand::u32(..5);
                queue.add_after(&Arc::new(key(name)), delay, Cause::Requeued);
            }
            2 => tokio::time::advance(SECOND).await,
            3 => {
                if let Some((key, _)) = queue.next().now_or_never() {
                    assert!(!running.contains(&key), "{key} twice");
                    wanted.remove(&key.name);
                    running.push(key);
                }
            }
            _ => {
                if !running.is_empty() {
                    let ended = running.swap_remove(fastrand::usize(..running.len()));
                    queue.done(&ended);
                }
            }
        }
    }
    for ended in running {
        queue.done(&ended);
    }
    while let Some((key, _)) = queue.next().now_or_never() {
        wanted.remove(&key.name);
        queue.done(&key);
    }
    assert!(wanted.is_empty(), "lost: {wanted:?}");
}
