use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HOST, LOCATION, WWW_AUTHENTICATE};
use hyper::{Method, Request, Response};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::net::BoxError;
use crate::support::server::Server;

type Answer = Response<Full<Bytes>>;

/// What a registry does to a request.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Mischief {
    /// It answers with a failure.
    Answer(u16),
    /// It redirects, to nowhere if the location is empty.
    Redirect(u16, &'static str),
    /// It reads a part of what is sent, and resets the connection.
    Drop,
    /// It says nothing.
    Silence,
}

/// A registry in memory. Dropping it ends it.
pub(crate) struct Double {
    server: Server,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    blobs: Mutex<BTreeSet<String>>,
    /// By repository and tag or digest.
    manifests: Mutex<BTreeMap<String, Bytes>>,
    requests: Mutex<Vec<String>>,
    rules: Mutex<Vec<Rule>>,
    login: Option<Login>,
}

/// The header `Authorization` that a registry wants.
#[derive(Clone, Copy)]
enum Login {
    /// With every request.
    Always(&'static str),
    /// Where tokens are given, which it wants with all other requests.
    ForToken(&'static str),
}

/// With a token.
const BEARER: &str = "Bearer of-the-test";

struct Rule {
    start: String,
    mischief: Mischief,
    times: usize,
}

impl Double {
    /// A registry that takes everything.
    pub(crate) fn start() -> Self {
        Self::with(Shared::default())
    }

    /// A registry that wants a header `Authorization`.
    pub(crate) fn with_login(authorization: &'static str) -> Self {
        Self::with(Shared {
            login: Some(Login::Always(authorization)),
            ..Shared::default()
        })
    }

    /// A registry that wants a token, and gives one at `/token` for a header `Authorization`.
    pub(crate) fn with_tokens(authorization: &'static str) -> Self {
        Self::with(Shared {
            login: Some(Login::ForToken(authorization)),
            ..Shared::default()
        })
    }

    fn with(shared: Shared) -> Self {
        let shared = Arc::new(shared);
        let connected = {
            let shared = Arc::clone(&shared);
            move || {
                let shared = Arc::clone(&shared);
                move |request| Arc::clone(&shared).answer(request)
            }
        };
        Self {
            server: Server::start(connected),
            shared,
        }
    }

    /// What stands before the repository in references.
    pub(crate) fn host(&self) -> String {
        self.server.host()
    }

    /// Does something to the next requests that start so, such as `PUT /v2/a/manifests/`.
    pub(crate) fn disturb(&self, start: &str, mischief: Mischief, times: usize) {
        lock(&self.shared.rules).push(Rule {
            start: start.to_owned(),
            mischief,
            times,
        });
    }

    /// The requests that start so, disturbed or not.
    pub(crate) fn count(&self, start: &str) -> usize {
        let requests = lock(&self.shared.requests);
        requests
            .iter()
            .filter(|line| line.starts_with(start))
            .count()
    }

    /// The document that a tag or a digest leads to.
    pub(crate) fn manifest(&self, repository: &str, name: &str) -> Option<Value> {
        let manifests = lock(&self.shared.manifests);
        let data = manifests.get(&format!("{repository}/{name}"))?;
        Some(serde_json::from_slice(data).expect("JSON"))
    }

    /// All tags that lead somewhere.
    pub(crate) fn tags(&self) -> Vec<String> {
        let manifests = lock(&self.shared.manifests);
        manifests
            .keys()
            .filter(|name| !name.contains("sha256:"))
            .cloned()
            .collect()
    }
}

impl Shared {
    fn mischief(&self, line: &str) -> Option<Mischief> {
        let mut rules = lock(&self.rules);
        let rule = rules
            .iter_mut()
            .find(|rule| rule.times > 0 && line.starts_with(&rule.start))?;
        rule.times -= 1;
        Some(rule.mischief)
    }

    async fn answer(self: Arc<Self>, request: Request<Incoming>) -> Result<Answer, BoxError> {
        let line = format!("{} {}", request.method(), request.uri());
        lock(&self.requests).push(line.clone());
        match self.mischief(&line) {
            Some(Mischief::Answer(code)) => {
                request.into_body().collect().await?;
                let errors = r#"{"errors":[{"code":"DENIED","message":"on purpose"}]}"#;
                return Ok(Response::builder().status(code).body(errors.into())?);
            }
            Some(Mischief::Redirect(code, location)) => {
                request.into_body().collect().await?;
                let answer = Response::builder().status(code);
                let answer = match location {
                    "" => answer,
                    location => answer.header(LOCATION, location),
                };
                return Ok(answer.body(Full::default())?);
            }
            Some(Mischief::Drop) => {
                let _ = request.into_body().frame().await;
                return Err("dropped".into());
            }
            Some(Mischief::Silence) => pending().await,
            None => {}
        }
        if let Some(answer) = self.login.and_then(|login| login.answer(&request)) {
            return answer;
        }
        let (head, body) = request.into_parts();
        let body = body.collect().await?.to_bytes();
        self.carry_out(
            &head.method,
            head.uri.path(),
            head.uri.query().unwrap_or_default(),
            body,
        )
    }

    fn carry_out(
        &self,
        method: &Method,
        path: &str,
        query: &str,
        body: Bytes,
    ) -> Result<Answer, BoxError> {
        let empty = |code: u16, location: &str| {
            let answer = Response::builder().status(code).header(LOCATION, location);
            Ok(answer.body(Full::default())?)
        };
        let path = path.strip_prefix("/v2/").ok_or("no registry")?;
        if path.is_empty() {
            return empty(200, "/v2/");
        }
        if let Some((repository, name)) = path.split_once("/manifests/") {
            let key = format!("{repository}/{name}");
            if *method == Method::PUT {
                if !self.has_all(&body) {
                    return empty(400, "/");
                }
                let mut manifests = lock(&self.manifests);
                manifests.insert(format!("{repository}/{}", digest(&body)), body.clone());
                manifests.insert(key, body);
                return empty(201, &format!("/v2/{path}"));
            }
            return match lock(&self.manifests).get(&key) {
                Some(body) => {
                    let media_type: Value = serde_json::from_slice(body)?;
                    let media_type = media_type["mediaType"]
                        .as_str()
                        .unwrap_or_default()
                        .to_owned();
                    let answer = Response::builder().header(CONTENT_TYPE, media_type);
                    Ok(answer.body(body.clone().into())?)
                }
                None => empty(404, "/"),
            };
        }
        match (method, path.split_once("/blobs/")) {
            (&Method::POST, Some(_)) => empty(202, &format!("/v2/{path}1?state=x")),
            (&Method::PUT, Some(_)) => {
                let digest = digest(&body);
                if !query.replace("%3A", ":").contains(&digest) {
                    return empty(400, "/");
                }
                lock(&self.blobs).insert(digest);
                empty(201, &format!("/v2/{path}"))
            }
            (&Method::HEAD, Some((_, name))) if lock(&self.blobs).contains(name) => empty(200, "/"),
            _ => empty(404, "/"),
        }
    }

    /// Whether all is there that a manifest names.
    fn has_all(&self, manifest: &[u8]) -> bool {
        let manifest: Value = serde_json::from_slice(manifest).unwrap_or_default();
        let layers = manifest["layers"].as_array().into_iter().flatten();
        let mut blobs = layers.chain(manifest.get("config"));
        blobs.all(|blob| lock(&self.blobs).contains(blob["digest"].as_str().unwrap_or_default()))
    }
}

impl Login {
    /// The answer to a request that is for a token, or has no right to another.
    fn answer(self, request: &Request<Incoming>) -> Option<Result<Answer, BoxError>> {
        let header = |name| request.headers().get(name)?.to_str().ok();
        let given = header(AUTHORIZATION);
        let refusal = Response::builder().status(401);
        let answer = match self {
            Self::Always(wanted) if given != Some(wanted) => {
                let answer = refusal.header(WWW_AUTHENTICATE, "Basic realm=\"test\"");
                answer.body(Full::default())
            }
            Self::ForToken(wanted) if request.uri().path() == "/token" => match given {
                Some(given) if given == wanted => {
                    let token = BEARER.trim_start_matches("Bearer ");
                    Response::builder().body(json!({"token": token}).to_string().into())
                }
                _ => {
                    let errors = json!([{"code": "UNAUTHORIZED", "message": "who is there?"}]);
                    refusal.body(json!({"errors": errors}).to_string().into())
                }
            },
            Self::ForToken(_) if given != Some(BEARER) => {
                let host = header(HOST).unwrap_or_default();
                let challenge = format!("Bearer realm=\"http://{host}/token\",service=\"test\"");
                let answer = refusal.header(WWW_AUTHENTICATE, challenge);
                answer.body(Full::default())
            }
            _ => return None,
        };
        Some(answer.map_err(Into::into))
    }
}

fn digest(data: &[u8]) -> String {
    Sha256::digest(data)
        .iter()
        .fold("sha256:".into(), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
