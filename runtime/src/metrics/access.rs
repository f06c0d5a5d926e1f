//! Authorizes metrics requests: the API server must accept the token of the client and allow it to
//! get `/metrics`.

use std::io;
use std::net::IpAddr;
use std::time::Duration;

use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, UserInfo};
use k8s_openapi::api::authorization::v1::{
    NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec,
};
use kube::api::PostParams;
use kube::{Api, Client};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use super::answers::{Access, Answers, Key};
use super::quota::Quota;

/// Maximum number of reviews at the same time.
const REVIEWS: usize = 4;

/// The time limit of a review, with the wait for one of those to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why it is not known whether a client is allowed to scrape.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unknown {
    /// The request to the API server failed.
    #[error(transparent)]
    Failed(#[from] kube::Error),
    /// Too many tokens were rejected.
    #[error("too many unknown tokens")]
    TooMany,
}

/// Asks the API server who is allowed to scrape.
pub(super) struct Gate {
    client: Client,
    answers: Answers,
    permits: Semaphore,
    quota: Quota,
}

impl Gate {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            answers: Answers::default(),
            permits: Semaphore::new(REVIEWS),
            quota: Quota::default(),
        }
    }

    /// Whether the owner of a token is allowed to scrape. `client` is where it comes from.
    pub(super) async fn check(&self, token: &str, client: IpAddr) -> Result<Access, Unknown> {
        let key = Key::of(token);
        if let Some(access) = self.answers.get(key, Instant::now()) {
            return Ok(access);
        }
        let review = async {
            let _permit = self.permits.acquire().await.map_err(service_error)?;
            // Another request with the same token may have been first.
            let now = Instant::now();
            if let Some(access) = self.answers.get(key, now) {
                return Ok(access);
            }
            // Nobody can make up a token that was allowed before.
            let is_free = self.answers.was_allowed(key, now);
            if !is_free && !self.quota.take(client, now) {
                return Err(Unknown::TooMany);
            }
            let access = self.review(token).await?;
            if !is_free && access == Access::Allowed {
                self.quota.release(client);
            }
            self.answers.keep(key, access, Instant::now());
            Ok(access)
        };
        let late = |_| Err(service_error(io::Error::from(io::ErrorKind::TimedOut)).into());
        timeout(PATIENCE, review).await.unwrap_or_else(late)
    }

    async fn review(&self, token: &str) -> kube::Result<Access> {
        let review = TokenReview {
            spec: TokenReviewSpec {
                token: token.to_owned(),
                audiences: None,
            },
            ..TokenReview::default()
        };
        let api = Api::all(self.client.clone());
        let status = api.create(&PostParams::default(), &review).await?.status;
        match status.filter(|status| status.authenticated == Some(true)) {
            Some(status) => self.authorize(status.user.unwrap_or_default()).await,
            None => Ok(Access::Unauthorized),
        }
    }

    async fn authorize(&self, user: UserInfo) -> kube::Result<Access> {
        let review = SubjectAccessReview {
            spec: SubjectAccessReviewSpec {
                user: user.username,
                groups: user.groups,
                uid: user.uid,
                extra: user.extra,
                non_resource_attributes: Some(NonResourceAttributes {
                    path: Some("/metrics".to_owned()),
                    verb: Some("get".to_owned()),
                }),
                resource_attributes: None,
            },
            ..SubjectAccessReview::default()
        };
        let api = Api::all(self.client.clone());
        let status = api.create(&PostParams::default(), &review).await?.status;
        if status.is_some_and(|status| status.allowed) {
            Ok(Access::Allowed)
        } else {
            Ok(Access::Forbidden)
        }
    }
}

fn service_error(error: impl std::error::Error + Send + Sync + 'static) -> kube::Error {
    kube::Error::Service(Box::new(error))
}
