//! Container engines: which one is there, and what it is told.

mod dockerfile;

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::ValueEnum;

pub(super) use dockerfile::Dockerfile;

/// How long an engine may take to say that it is there.
const PATIENCE: Duration = Duration::from_secs(10);

/// What builds an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Builder {
    /// First engine that responds, or rop itself.
    #[default]
    Auto,
    /// Docker, with the project's Dockerfile.
    Docker,
    /// Podman, with the project's Dockerfile.
    Podman,
    /// Buildah, with the project's Dockerfile.
    Buildah,
    /// No engine: rop builds the image with cargo.
    None,
}

/// A container engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Docker.
    Docker,
    /// Podman.
    Podman,
    /// Buildah, which has no containers of its own.
    Buildah,
}

impl Engine {
    /// In the order in which they are looked for.
    pub(super) const ALL: [Self; 3] = [Self::Docker, Self::Podman, Self::Buildah];

    /// The name of its executable.
    pub fn program(self) -> &'static str {
        match self {
            Self::Docker => "docker",
            Self::Podman => "podman",
            Self::Buildah => "buildah",
        }
    }

    /// What it says when asked whether it is at work: docker's program may be there without its
    /// daemon. `Ok` where it is.
    pub(super) fn answer(self) -> Result<(), String> {
        let arguments: &[&str] = match self {
            Self::Docker => &["version", "--format={{.Server.Version}}"],
            Self::Podman | Self::Buildah => &["info"],
        };
        let mut command = Command::new(self.program());
        command
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| error.to_string())?;
        let deadline = Instant::now() + PATIENCE;
        while child
            .try_wait()
            .map_err(|error| error.to_string())?
            .is_none()
        {
            if Instant::now() > deadline {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no response for {} s", PATIENCE.as_secs()));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let output = child
            .wait_with_output()
            .map_err(|error| error.to_string())?;
        let stderr = String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            Ok(())
        } else {
            Err(stderr
                .trim()
                .lines()
                .last()
                .unwrap_or("it failed")
                .to_owned())
        }
    }

    /// Whether its program is on PATH.
    pub(super) fn is_installed(self) -> bool {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(self.program()).is_file())
    }
}
