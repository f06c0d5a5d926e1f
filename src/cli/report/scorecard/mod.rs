//! The results of the scorecard, in the forms of operator-sdk.

mod json;
mod text;
mod xunit;

pub(in crate::cli) use json::{json, test_list};
pub(in crate::cli) use text::text;
pub(in crate::cli) use xunit::xunit;
