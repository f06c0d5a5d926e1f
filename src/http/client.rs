use std::time::Duration;

use reqwest::redirect::{Action, Attempt, Policy};
use reqwest::{Method, RequestBuilder, Url};

use crate::tls;

use super::failure::Refused;
use super::{Answer, Failure, Pace, shown};

/// How many redirects are followed.
const REDIRECTS: usize = 10;

/// A client of HTTP with limits.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    inner: reqwest::Client,
    patience: Duration,
}

impl Client {
    /// A client that waits so long for servers.
    ///
    /// # Errors
    /// This machine trusts no certificate authority.
    pub(crate) fn new(patience: Duration) -> Result<Self, reqwest::Error> {
        tls::set_up();
        let client = reqwest::Client::builder()
            .user_agent(concat!("rop/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(patience)
            // Addresses of tokens have secrets in them.
            .referer(false)
            .redirect(Policy::custom(redirect));
        Ok(Self {
            inner: client.build()?,
            patience,
        })
    }

    /// A request, about to be sent.
    pub(crate) fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.inner.request(method, url)
    }

    /// The pace of one request.
    pub(crate) fn pace(&self) -> Pace {
        Pace::new(self.patience)
    }

    /// Sends a request, and waits for the head of its answer.
    ///
    /// # Errors
    /// There is none, or it leads out of https.
    pub(crate) async fn send(&self, request: RequestBuilder) -> Result<Answer, Failure> {
        self.send_at(self.pace(), request).await
    }

    /// The same, with the pace that the request's body keeps.
    ///
    /// # Errors
    /// As [`Self::send`].
    pub(crate) async fn send_at(
        &self,
        pace: Pace,
        request: RequestBuilder,
    ) -> Result<Answer, Failure> {
        match pace.keep(request.send()).await? {
            Ok(head) => Ok(Answer::new(head, pace)),
            Err(error) if error.is_timeout() => Err(Failure::Silent(self.patience)),
            Err(error) => Err(error.into()),
        }
    }
}

/// Follows redirects within https. Credentials stay behind where another host is next: `reqwest` sees to that.
fn redirect(attempt: Attempt<'_>) -> Action {
    match refusal(attempt.previous(), attempt.url()) {
        Some(refused) => attempt.error(refused),
        None => attempt.follow(),
    }
}

fn refusal(previous: &[Url], next: &Url) -> Option<Refused> {
    let is_tls = |url: &Url| url.scheme() == "https";
    if previous.iter().any(is_tls) && !is_tls(next) {
        return Some(Refused::LeavesTls(shown(next.as_str())));
    }
    (previous.len() > REDIRECTS).then_some(Refused::Redirects(REDIRECTS))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn urls<const N: usize>(texts: [&str; N]) -> [Url; N] {
        texts.map(|text| text.parse().expect("a URL"))
    }

    #[test]
    fn https_is_not_left() {
        let [plain, secure, other] = urls(["http://a/", "https://a/", "https://b/"]);
        let [start, through] = [[secure.clone()], [plain.clone()]];
        assert!(refusal(&start, &other).is_none());
        assert!(refusal(&through, &secure).is_none());
        assert!(refusal(&through, &plain).is_none());
        for previous in [
            &start[..],
            &[plain.clone(), secure.clone()],
            &[secure, other],
        ] {
            let refused = refusal(previous, &plain);
            assert!(
                matches!(refused, Some(Refused::LeavesTls(_))),
                "{refused:?}"
            );
        }
    }

    #[test]
    fn redirects_end() {
        let [url] = urls(["https://a/"]);
        assert!(refusal(&vec![url.clone(); REDIRECTS], &url).is_none());
        let refused = refusal(&vec![url.clone(); REDIRECTS + 1], &url);
        assert!(
            matches!(refused, Some(Refused::Redirects(_))),
            "{refused:?}"
        );
    }
}
