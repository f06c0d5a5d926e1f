//! Who may scrape: those whose token the API server knows, and whom it lets get `/metrics`.

use std::io;
use std::time::{Duration, Instant};

use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec, UserInfo};
use k8s_openapi::api::authorization::v1::{
    NonResourceAttributes, SubjectAccessReview, SubjectAccessReviewSpec,
};
use kube::api::PostParams;
use kube::{Api, Client};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::answers::{Answers, Key};

/// How many tokens are reviewed at the same time.
const REVIEWS: usize = 4;

/// How long a review may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Whether someone may scrape.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Access {
    /// They may.
    Allowed,
    /// The API server does not know their token.
    Unauthorized,
    /// It knows who they are, and they may not.
    Forbidden,
}

/// Asks the API server who may scrape.
pub(super) struct Gate {
    client: Client,
    answers: Answers,
    places: Semaphore,
}

impl Gate {
    pub(super) fn new(client: Client) -> Self {
        Self {
            client,
            answers: Answers::default(),
            places: Semaphore::new(REVIEWS),
        }
    }

    /// Whether the owner of a token may scrape.
    pub(super) async fn check(&self, token: &str) -> kube::Result<Access> {
        let key = Key::of(token);
        if let Some(access) = self.answers.get(key, Instant::now()) {
            return Ok(access);
        }
        let review = async {
            let _place = self.places.acquire().await.map_err(service_error)?;
            // Another request with the token may have been before this one.
            if let Some(access) = self.answers.get(key, Instant::now()) {
                return Ok(access);
            }
            let access = self.review(token).await?;
            self.answers.keep(key, access, Instant::now());
            Ok(access)
        };
        let late = |_| Err(service_error(io::Error::from(io::ErrorKind::TimedOut)));
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
