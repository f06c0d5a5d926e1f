//! The crate `rop-runtime`, as rop brings it into projects.

mod packaged;
mod source;
mod vendored;
