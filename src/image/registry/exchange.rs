use reqwest::header::ACCEPT;
use reqwest::{Method, RequestBuilder, StatusCode, Url};

use crate::error::{Code, Error};
use crate::http::Answer;

use super::{Fault, Registry};

/// The documents that rop reads: manifests and indexes of both sorts.
const ACCEPTED: &str = "application/vnd.oci.image.manifest.v1+json, \
    application/vnd.docker.distribution.manifest.v2+json, application/vnd.oci.image.index.v1+json, \
    application/vnd.docker.distribution.manifest.list.v2+json";

impl Registry {
    /// A request, about to be sent, that shows who asks, where it goes to the registry itself.
    pub(super) async fn request(&self, method: Method, url: Url) -> Result<RequestBuilder, Fault> {
        let is_own = self.endpoint.is_own(&url);
        let request = self.client.request(method, url);
        Ok(if is_own {
            self.authorize().await?.apply(request)
        } else {
            request
        })
    }

    /// Reads something of the repository: the answer is a success.
    pub(super) async fn read(&self, method: Method, path: &str) -> Result<Answer, Fault> {
        let request = self.request(method, self.endpoint.url(path)).await?;
        let answer = self.client.send(request.header(ACCEPT, ACCEPTED)).await?;
        let server = answer.url().clone();
        match success(answer).await {
            Err(Fault::Status { code, text })
                if is_denial(code) && !self.endpoint.is_own(&server) =>
            {
                let server = server.origin().ascii_serialization();
                Err(Fault::Elsewhere { server, code, text })
            }
            answer => answer,
        }
    }
}

/// Whether an answer says that somebody may not.
pub(super) fn is_denial(code: u16) -> bool {
    matches!(code, 401 | 403)
}

/// Checks that a registry took what was sent to a URL: behind some redirects, a PUT is a GET of something else.
pub(super) async fn taken(answer: Answer, url: &Url) -> Result<(), Fault> {
    let answer = success(answer).await?;
    if answer.url() == url || answer.status() != StatusCode::OK {
        return Ok(());
    }
    let host = answer.url().host_str().unwrap_or_default();
    let message = format!("it redirects uploads to `{host}`, which took nothing");
    Err(Fault::Broken(Error::new(Code::RegistryFailed, message)))
}

/// The answer, if it is a success.
pub(super) async fn success(answer: Answer) -> Result<Answer, Fault> {
    if answer.status().is_success() {
        Ok(answer)
    } else {
        Err(Fault::of(answer).await)
    }
}
