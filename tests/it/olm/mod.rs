//! What OLM takes: bundles, and what it makes of them.

mod api_server;
mod bundle;
mod operator;
