//! The network between the processes of an operator and the API server. What real streams do to bytes,
//! these do: connections are HTTP/1 from hyper to hyper, on one side below the guard of the leader.
//!
//! A request that has left arrives even if its sender dies, for what the API server does is a task of its
//! own. Its answer is a matter of its own, too: it may come late, in part, or never.

mod answer;
mod body;
mod dial;
pub(super) mod fate;
mod stream;
mod watch;

pub(super) use body::AnswerBody;
pub(crate) use dial::Dial;
