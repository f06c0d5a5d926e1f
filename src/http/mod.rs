//! HTTP to servers that may be slow, broken or hostile: every answer is limited in size, has to keep a pace, and cannot
//! lead from https to http.

mod answer;
mod client;
pub(crate) mod download;
mod failure;
mod pace;
mod shown;

pub(crate) use answer::Answer;
pub(crate) use client::Client;
pub(crate) use failure::Failure;
pub(crate) use pace::Pace;
pub(crate) use shown::shown;

/// The least that a link carries, in bytes a second: a modem carries four times as much.
const SLOWEST: u32 = 1024;
