//! `rop olm`, `rop run bundle`, `rop run bundle-upgrade` and `rop cleanup`: against an API server with OLM's CRDs, and with
//! OLM's own controllers where these are on PATH.

mod controllers;
mod extension;
pub(super) mod image;
mod installation;
mod refused;
