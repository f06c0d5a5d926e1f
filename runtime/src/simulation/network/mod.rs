//! The network between the processes of an operator and the API server. Connections are HTTP/1 from
//! hyper to hyper, on the client's side below the guard of the leader, so they behave like real
//! streams.
//!
//! A request that was sent arrives even if its sender dies, because the API server handles it in a
//! separate task. Its response may arrive late, in part, or never.

mod answer;
mod body;
mod dial;
pub(super) mod fate;
mod stream;
mod watch;

pub(super) use body::AnswerBody;
pub(crate) use dial::Dial;
