//! The command lines of operator-sdk 0.x.

mod flat;
mod words;
