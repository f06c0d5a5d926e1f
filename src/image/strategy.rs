//! Which way an image is built, decided before anything is.

use crate::error::{Code, Error, Result};
use crate::project::layout::DOCKERFILE;

use super::engine::{Builder, Engine};
use super::output::Output;
use super::provenance::Provenance;
use super::{Recipe, Request};

impl Request<'_> {
    /// Decides how the image is built.
    ///
    /// # Errors
    /// The request contradicts itself, or the engine that it names does not answer.
    pub fn recipe(&self) -> Result<Recipe> {
        self.names_a_place()?;
        let (engine, note) = self.engine()?;
        self.suits(engine)?;
        let (output, provenance) = match &self.output {
            None if engine.is_none() && !self.push => {
                let provenance = Provenance::read(self.root, self.operator)?;
                let platforms = self.platforms.len();
                let kept = Output::kept(self.root, &provenance.target, self.operator, platforms)?;
                (Some(kept), Some(provenance))
            }
            output => (output.clone(), None),
        };
        if let Some(output) = &output {
            output.check()?;
        }
        Ok(Recipe {
            engine,
            note,
            names: self.names(),
            output,
            provenance,
        })
    }

    fn engine(&self) -> Result<(Option<Engine>, Option<String>)> {
        let selected = match self.builder {
            Builder::None => return self.without_engine().map(|()| (None, None)),
            Builder::Auto => return self.any_engine(),
            Builder::Docker => Engine::Docker,
            Builder::Podman => Engine::Podman,
            Builder::Buildah => Engine::Buildah,
        };
        let program = selected.program();
        if let Some(flag) = self.for_rop_alone() {
            return Err(Error::new(
                Code::EngineLimit,
                format!("`{flag}` cannot be used with `--engine {program}`"),
            )
            .hint("set it in the Dockerfile instead, or let rop build: `--engine none`"));
        }
        if !self.root.join(DOCKERFILE).is_file() {
            return Err(Error::new(
                Code::NoDockerfile,
                format!("no {DOCKERFILE} in `{}`", self.root.display()),
            )
            .hint(
                "create a Dockerfile with `rop generate project --restore`, or let rop build: `--engine \
                none`",
            ));
        }
        selected.answer().map_err(|reason| {
            Error::new(Code::EngineUnavailable, reason)
                .context(format!("{program} does not respond"))
                .hint(format!(
                    "start {program}, or build without an engine: `--engine none`"
                ))
        })?;
        Ok((Some(selected), None))
    }

    /// The first engine that answers, where what is asked for is for an engine.
    fn any_engine(&self) -> Result<(Option<Engine>, Option<String>)> {
        let needs_rop = self.for_rop_alone().is_some()
            || self.beside.is_some()
            || self.platforms.len() > 1
            || !self.root.join(DOCKERFILE).is_file();
        let mut silent = Vec::new();
        for engine in Engine::ALL
            .into_iter()
            .filter(|engine| !needs_rop && engine.is_installed())
        {
            match engine.answer() {
                Ok(()) => return Ok((Some(engine), None)),
                Err(reason) => {
                    silent.push(format!("{} does not respond ({reason})", engine.program()));
                }
            }
        }
        self.without_engine()?;
        if let Some(folder) = self.beside {
            silent.push(format!("the runtime at `{folder}` is outside the project"));
        }
        let note = silent.join(", ");
        Ok((
            None,
            (!note.is_empty()).then(|| format!("{note}: building without an engine")),
        ))
    }

    fn without_engine(&self) -> Result<()> {
        if self.arguments.is_empty() {
            Ok(())
        } else {
            Err(Error::new(
                Code::EngineLimit,
                "`--build-arg` needs a container engine, but none is used",
            )
            .hint("select a running engine, for example `--engine docker`"))
        }
    }

    /// A flag that only rop itself can do something about.
    fn for_rop_alone(&self) -> Option<&'static str> {
        match (&self.base, self.sbom) {
            (Some(_), _) => Some("--base"),
            (None, true) => Some("--sbom"),
            (None, false) => None,
        }
    }
}
