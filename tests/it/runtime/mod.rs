//! The crate `rop-runtime`, as rop brings it into projects.

mod own;
mod packaged;
mod public_api;
mod source;
mod vendored;
