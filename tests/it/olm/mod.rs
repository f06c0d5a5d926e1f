//! What OLM takes: bundles.

mod api_server;
mod bundle;
