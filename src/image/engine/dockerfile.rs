use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::error::{Code, Context as _, Error, Result};
use crate::image::output::{Form, Output};
use crate::image::platform::Platform;
use crate::on_path;
use crate::project::name::Image;
use crate::ui::Ui;

use super::Engine;

/// An image that an engine builds from the Dockerfile of a project.
pub(in crate::image) struct Dockerfile<'a> {
    pub(in crate::image) engine: Engine,
    pub(in crate::image) root: &'a Path,
    /// The names that the image gets.
    pub(in crate::image) names: &'a [Image],
    pub(in crate::image) platform: Option<Platform>,
    pub(in crate::image) labels: &'a BTreeMap<String, String>,
    pub(in crate::image) arguments: &'a [String],
    /// When it was made, in seconds since 1970.
    pub(in crate::image) created: i64,
    pub(in crate::image) insecure: bool,
}

impl Dockerfile<'_> {
    /// Builds the image into the engine's own store.
    pub(in crate::image) fn build(&self, ui: &Ui) -> Result<()> {
        let mut command = self.command("build");
        for name in self.names {
            command.args(["--tag", name.as_str()]);
        }
        if let Some(platform) = self.platform {
            command.arg(format!("--platform={platform}"));
        }
        for (name, value) in self.labels {
            command.arg(format!("--label={name}={value}"));
        }
        for argument in self.arguments {
            command.arg(format!("--build-arg={argument}"));
        }
        match self.engine {
            // What BuildKit takes its times from.
            Engine::Docker => {
                command.arg(format!("--build-arg=SOURCE_DATE_EPOCH={}", self.created))
            }
            Engine::Podman | Engine::Buildah => {
                command.arg(format!("--timestamp={}", self.created))
            }
        };
        if ui.hides_progress() && self.engine == Engine::Docker {
            command.arg("--progress=plain");
        }
        command.arg(".");
        self.run(command, "build the image").map_err(|error| {
            error.hint(
                "fix the errors above and run the command again, or build without an \
                engine: `--engine none`",
            )
        })
    }

    /// Pushes all names of the image.
    pub(in crate::image) fn push(&self) -> Result<()> {
        for name in self.names {
            let mut command = self.command("push");
            if self.insecure && self.engine != Engine::Docker {
                command.arg("--tls-verify=false");
            }
            command.arg(name.as_str());
            self.run(command, &format!("push `{name}`"))
                .map_err(|error| match self.engine {
                    Engine::Docker if self.insecure => error
                        .hint("allow the registry in docker's daemon.json: `insecure-registries`"),
                    _ => error.hint("or let rop push the image: `--engine none`"),
                })?;
        }
        Ok(())
    }

    /// Writes the image where it is asked for.
    pub(in crate::image) fn save(&self, output: &Output) -> Result<()> {
        let name = self.names[0].as_str();
        // The engine runs in the project, and what somebody typed starts where they are.
        let path = std::path::absolute(&output.path).unreadable(output.path.display())?;
        let path = path.display();
        let mut command = match (self.engine, output.form) {
            (Engine::Docker, _) => {
                let mut command = self.command("save");
                command
                    .arg(format!("--output={path}"))
                    .args(self.names.iter().map(Image::as_str));
                command
            }
            (Engine::Podman, form) => {
                let mut command = self.command("save");
                let form = match form {
                    Form::Oci => "oci-dir",
                    form => form.name(),
                };
                command
                    .arg(format!("--format={form}"))
                    .arg(format!("--output={path}"))
                    .arg(name);
                command
            }
            (Engine::Buildah, form) => {
                let mut command = self.command("push");
                command
                    .arg(name)
                    .arg(format!("{}:{path}:{name}", form.name()));
                command
            }
        };
        command.stdin(Stdio::null());
        self.run(command, &format!("write `{output}`"))
    }

    fn command(&self, word: &str) -> Command {
        let mut command = on_path::command(self.engine.program());
        command.arg(word).current_dir(self.root);
        command
    }

    /// Runs the engine, whose words go to stderr: stdout is for what was asked of rop.
    fn run(&self, mut command: Command, what: &str) -> Result<()> {
        let program = self.engine.program();
        command
            .stdin(Stdio::null())
            .stdout(Stdio::from(io::stderr()));
        let status = command.status().map_err(|error| {
            Error::new(Code::EngineUnavailable, error).context(format!("failed to run `{program}`"))
        })?;
        if status.success() {
            Ok(())
        } else {
            Err(Error::new(
                Code::EngineFailed,
                format!("failed to {what}: see the {program} output above"),
            ))
        }
    }
}
