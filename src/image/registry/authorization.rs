use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{Method, RequestBuilder, Url};
use serde::Deserialize;

use crate::error::{Code, Error};

use super::challenge::Challenge;
use super::login::Login;
use super::{Fault, Registry, limits};

/// What a token is for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    Pull,
    Push,
}

impl Purpose {
    /// The actions that a scope names.
    fn actions(self) -> &'static str {
        match self {
            Self::Pull => "pull",
            Self::Push => "pull,push",
        }
    }
}

/// The authorization of requests to a registry, cached after the first.
#[derive(Debug)]
pub(super) struct Authorization {
    purpose: Purpose,
    cached: Mutex<Option<CachedPass>>,
}

impl Authorization {
    pub(super) fn new(purpose: Purpose) -> Self {
        let cached = Mutex::new(None);
        Self { purpose, cached }
    }

    pub(super) fn purpose(&self) -> Purpose {
        self.purpose
    }
}

#[derive(Clone, Debug)]
struct CachedPass {
    pass: Pass,
    /// When the token expires.
    expires_at: Option<Instant>,
}

/// The credentials of a request.
#[derive(Clone, Debug)]
pub(super) enum Pass {
    Login(Login),
    Token(HeaderValue),
}

impl Pass {
    pub(super) fn apply(&self, request: RequestBuilder) -> RequestBuilder {
        match self {
            Self::Login(login) => login.apply(request),
            Self::Token(header) => request.header(AUTHORIZATION, header),
        }
    }
}

/// How long a token counts that does not say so, by the specification of tokens.
const LIFE: Duration = Duration::from_mins(1);

/// So long before its end a token is no longer used.
const MARGIN: Duration = Duration::from_secs(5);

/// A server's answer with a token.
#[derive(Deserialize)]
struct TokenResponse {
    token: Option<String>,
    access_token: Option<String>,
    expires_in: Option<u32>,
}

impl Registry {
    /// Returns the authorization, and negotiates it with the registry if none is cached or it expired.
    pub(super) async fn authorize(&self) -> Result<Pass, Fault> {
        let lock = || {
            let cached = self.authorization.cached.lock();
            cached.unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(cached) = lock().clone()
            && cached
                .expires_at
                .is_none_or(|expires_at| Instant::now() < expires_at)
        {
            return Ok(cached.pass);
        }
        let cached = self.negotiate().await?;
        *lock() = Some(cached.clone());
        Ok(cached.pass)
    }

    async fn negotiate(&self) -> Result<CachedPass, Fault> {
        let request = self.client.request(Method::GET, self.endpoint.base());
        let answer = self.client.send(request).await?;
        let login = match Challenge::of(answer.headers()) {
            Some(Challenge::Bearer { realm, service }) => {
                return self.token(&realm, service.as_deref()).await;
            }
            Some(Challenge::Basic) => self.login.clone(),
            None if answer.status().is_success() || answer.status().is_client_error() => {
                Login::Anonymous
            }
            None => return Err(Fault::of(answer).await),
        };
        Ok(CachedPass {
            pass: Pass::Login(login),
            expires_at: None,
        })
    }

    /// Asks the server that the registry names for a token.
    async fn token(&self, realm: &str, service: Option<&str>) -> Result<CachedPass, Fault> {
        let url = Url::parse(realm).ok();
        let Some(mut url) = url.filter(|url| self.endpoint.may_send_credentials(url)) else {
            return Err(Self::wrong_realm(realm));
        };
        let actions = self.authorization.purpose.actions();
        let scope = format!("repository:{}:{actions}", self.endpoint.repository);
        url.query_pairs_mut()
            .append_pair("scope", &scope)
            .extend_pairs(service.map(|service| ("service", service)));
        let request = self.client.request(Method::GET, url);
        let answer = self.client.send(self.login.apply(request)).await?;
        if !answer.status().is_success() {
            return Err(Fault::of_token(answer).await);
        }
        let body = answer.bytes(limits::TOKEN).await?;
        Self::read_token(&body).ok_or_else(|| {
            let server = Url::parse(realm).map(|url| url.origin().ascii_serialization());
            Fault::Broken(Error::new(
                Code::RegistryFailed,
                format!(
                    "its token server `{}` returned no token",
                    server.unwrap_or_default()
                ),
            ))
        })
    }

    fn read_token(body: &[u8]) -> Option<CachedPass> {
        let answer: TokenResponse = serde_json::from_slice(body).ok()?;
        let token = answer.token.or(answer.access_token)?;
        let mut header = HeaderValue::from_str(&format!("Bearer {token}")).ok()?;
        header.set_sensitive(true);
        let life = answer
            .expires_in
            .map_or(LIFE, |seconds| Duration::from_secs(seconds.into()));
        Some(CachedPass {
            pass: Pass::Token(header),
            expires_at: Some(Instant::now() + life.saturating_sub(MARGIN)),
        })
    }

    fn wrong_realm(realm: &str) -> Fault {
        let error = Error::new(
            Code::RegistryFailed,
            format!("its token server `{realm}` has no TLS"),
        );
        Fault::Broken(error.hint("ask the registry's administrator for a token server with https"))
    }
}
