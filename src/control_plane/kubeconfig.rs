//! The kubeconfig of a control plane.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::error::{Context, Result};

/// How to reach an API server, and as whom.
#[derive(Clone, Debug)]
pub struct Kubeconfig {
    /// The URL of the API server.
    pub server: String,
    /// What vouches for its certificate, where it has one.
    pub authority: Option<PathBuf>,
    /// The namespace where none is named.
    pub namespace: String,
    /// The token of who asks.
    pub token: String,
}

impl Kubeconfig {
    /// Writes it as a file, as JSON: that is YAML too.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut cluster = json!({ "server": self.server });
        if let Some(authority) = &self.authority {
            cluster["certificate-authority"] = json!(authority);
        }
        let config = json!({
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "rop",
            "contexts": [{
                "name": "rop",
                "context": { "cluster": "rop", "user": "rop", "namespace": self.namespace },
            }],
            "clusters": [{ "name": "rop", "cluster": cluster }],
            "users": [{ "name": "rop", "user": { "token": self.token } }],
        });
        write(path, &config.to_string())
    }
}

/// Writes a file of the control plane, which goes with the servers, and is nobody's work. Only the user can read it.
pub(super) fn write(path: &Path, content: &str) -> Result<()> {
    let mut options = File::options();
    let file = options.write(true).create(true).truncate(true).mode(0o600);
    file.open(path)
        .and_then(|mut file| file.write_all(content.as_bytes()))
        .unwritable(|| format!("failed to write `{}`", path.display()))
}
