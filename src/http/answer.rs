use std::io;

use reqwest::header::HeaderMap;
use reqwest::{Response, StatusCode, Url};

use super::{Failure, Pace};

/// What a server answers, whose body is yet to be read.
#[derive(Debug)]
pub(crate) struct Answer {
    inner: Response,
    pace: Pace,
}

impl Answer {
    pub(super) fn new(inner: Response, pace: Pace) -> Self {
        Self { inner, pace }
    }

    pub(crate) fn status(&self) -> StatusCode {
        self.inner.status()
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        self.inner.headers()
    }

    /// Where it comes from, behind all redirects.
    pub(crate) fn url(&self) -> &Url {
        self.inner.url()
    }

    /// How long the server says that it is.
    pub(crate) fn length(&self) -> Option<u64> {
        self.inner.content_length()
    }

    /// Hands each part to `keep` as it arrives, and reads no more than `limit` bytes.
    ///
    /// # Errors
    /// There is more, it is too slow, or the connection breaks.
    pub(crate) async fn each(
        mut self,
        limit: u64,
        mut keep: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if self.length().is_some_and(|length| length > limit) {
            return Err(Failure::TooLarge(limit));
        }
        let mut left = limit;
        while let Some(part) = self.part().await? {
            let size = part.len() as u64;
            left = left.checked_sub(size).ok_or(Failure::TooLarge(limit))?;
            keep(&part).map_err(Failure::Disk)?;
        }
        Ok(())
    }

    /// The whole body, of at most `limit` bytes.
    ///
    /// # Errors
    /// As [`Self::each`].
    pub(crate) async fn bytes(self, limit: u64) -> Result<Vec<u8>, Failure> {
        let mut body = Vec::new();
        let keep = |part: &[u8]| {
            body.extend_from_slice(part);
            Ok(())
        };
        self.each(limit, keep).await?;
        Ok(body)
    }

    /// The beginning of the body as text: for what a server says of an error, of which nobody reads more.
    pub(crate) async fn beginning(mut self, limit: usize) -> String {
        let mut body = Vec::new();
        while body.len() < limit
            && let Ok(Some(part)) = self.part().await
        {
            body.extend_from_slice(&part);
        }
        body.truncate(limit);
        String::from_utf8_lossy(&body).into_owned()
    }

    async fn part(&mut self) -> Result<Option<bytes::Bytes>, Failure> {
        let part = self.pace.keep(self.inner.chunk()).await??;
        self.pace.moved(part.as_ref().map_or(0, bytes::Bytes::len));
        Ok(part)
    }
}
