//! What the answers on this network have in them.

use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::Bytes;
use tower::BoxError;

/// The body of an answer.
pub(in crate::simulation) type AnswerBody = UnsyncBoxBody<Bytes, BoxError>;
