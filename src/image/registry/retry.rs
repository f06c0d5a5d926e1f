use std::future::Future;
use std::time::Duration;

use super::failure::Failure;

/// How long to wait before each further attempt.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
];

/// Does something again while what went wrong may pass.
pub(super) async fn until_done<T, F>(attempt: impl Fn() -> F) -> Result<T, Failure>
where
    F: Future<Output = Result<T, Failure>>,
{
    for pause in PAUSES {
        match attempt().await {
            Err(failure) if failure.may_pass => tokio::time::sleep(pause).await,
            done => return done,
        }
    }
    attempt().await
}
