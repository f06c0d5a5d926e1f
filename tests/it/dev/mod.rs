//! `rop dev`: a control plane, the operator, and both again on each change.

mod download;
mod private;
mod session;
mod site;
