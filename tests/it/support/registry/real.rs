use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::support::control_plane::eventually;
use crate::support::net;
use crate::support::tools::tools;

/// Debian's docker-registry on a port of this machine. Dropping it ends it.
pub(crate) struct Real {
    child: Child,
    port: u16,
    _dir: TempDir,
}

impl Real {
    /// Starts it. `None`, with a line on stderr, where it is not installed.
    pub(crate) fn start() -> Option<Self> {
        Self::with("")
    }

    /// Starts it with TLS: `certificate` is a file with what it shows, `key` one with its key.
    pub(crate) fn with_tls(certificate: &Path, key: &Path) -> Option<Self> {
        let (certificate, key) = (certificate.display(), key.display());
        Self::with(&format!(
            ", tls: {{certificate: '{certificate}', key: '{key}'}}"
        ))
    }

    fn with(http: &str) -> Option<Self> {
        let [program] = tools(["docker-registry"])?;
        let dir = TempDir::new().expect("a temporary directory");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        drop(listener);
        let config = dir.path().join("config.yml");
        let text = format!(
            "version: 0.1
log: {{level: error}}
storage: {{filesystem: {{rootdirectory: '{}'}}, delete: {{enabled: true}}}}
http: {{addr: '127.0.0.1:{port}'{http}}}
",
            dir.path().display()
        );
        std::fs::write(&config, text).expect("a file");
        let child = Command::new(program)
            .arg("serve")
            .arg(&config)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("docker-registry starts");
        let registry = Self {
            child,
            port,
            _dir: dir,
        };
        eventually("the registry answers", Duration::from_secs(10), || {
            // Where it has TLS, it says no more than that to plain HTTP.
            net::get(port, "/v2/")
        });
        Some(registry)
    }

    /// What stands before the repository in references.
    pub(crate) fn host(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
