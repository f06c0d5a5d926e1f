//! Container engines: which one is there, and what it is told.

mod dockerfile;

use std::time::Duration;

use clap::ValueEnum;

use crate::bounded::{self, How, Limits};
use crate::on_path::{command, on_path};

pub(super) use dockerfile::Dockerfile;

/// What an engine may take to say that it is there.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(10),
    bytes: 1 << 20,
};

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
    pub(crate) const ALL: [Self; 3] = [Self::Docker, Self::Podman, Self::Buildah];

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
    pub(crate) fn answer(self) -> Result<(), String> {
        let arguments: &[&str] = match self {
            Self::Docker => &["version", "--format={{.Server.Version}}"],
            Self::Podman | Self::Buildah => &["info"],
        };
        let mut command = command(self.program());
        let ended =
            bounded::run(command.args(arguments), "", LIMITS).map_err(|error| error.to_string())?;
        match ended.how {
            How::Exited(status) if status.success() => Ok(()),
            How::Exited(_) => {
                let last = ended.stderr.trim().lines().last();
                Err(last.unwrap_or("it failed").to_owned())
            }
            How::Late => Err(format!("no response for {} s", LIMITS.time.as_secs())),
            How::Flooding => Err("it prints without end".to_owned()),
        }
    }

    /// Whether its program is on PATH.
    pub(super) fn is_installed(self) -> bool {
        on_path(self.program()).is_some()
    }
}
