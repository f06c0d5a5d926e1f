//! The bodies of responses.

use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Bytes;
use tower::BoxError;

/// The body of a response.
pub(in crate::simulation) type AnswerBody = UnsyncBoxBody<Bytes, BoxError>;
