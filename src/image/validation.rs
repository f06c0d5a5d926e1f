//! What cannot be asked for at once.

use crate::error::{Code, Error, Result};

use super::Request;
use super::engine::Engine;
use super::output::Form;

impl Request<'_> {
    /// Refuses an image whose name is not one to build, or to push.
    pub(super) fn names_a_place(&self) -> Result<()> {
        if let Some(digest) = self.image.digest() {
            return Err(Error::new(
                Code::InvalidImage,
                format!("the image `{}` contains a digest", self.image),
            )
            .hint(format!(
                "the build determines the digest: leave out `@{digest}`"
            )));
        }
        if self.push && !self.image.name().contains('/') {
            return Err(Error::new(
                Code::InvalidImage,
                format!("the image `{}` names no registry to push to", self.image),
            )
            .hint(format!(
                "write it as in `registry.example.com/{}`",
                self.image
            ))
            .hint("the name comes from config/manager/kustomization.yaml if none is given"));
        }
        Ok(())
    }

    /// Refuses what neither an engine nor rop itself can do.
    pub(super) fn suits(&self, engine: Option<Engine>) -> Result<()> {
        let form = self.output.as_ref().map(|output| output.form);
        let has_several = self.platforms.len() > 1;
        if let (Some(engine), Some(folder)) = (engine, self.beside) {
            return Err(Error::new(Code::EngineLimit, format!(
                "{} sees the project alone, and PROJECT has the runtime at `{folder}`, outside of it",
                engine.program()
            ))
            .hint("build without an engine: `--engine none`"));
        }
        if let Some(engine) = engine.filter(|_| has_several) {
            return Err(Error::new(
                Code::EngineLimit,
                format!("{} builds for one platform at a time", engine.program()),
            )
            .hint("name one platform, or let rop build for all of them: `--engine none`"));
        }
        if let (Some(Engine::Docker), Some(Form::Oci | Form::OciArchive)) = (engine, form) {
            return Err(Error::new(
                Code::EngineLimit,
                "docker writes a docker-archive and nothing else",
            )
            .hint("write `--output docker-archive:FILE`, or let rop build: `--engine none`"));
        }
        if has_several && matches!(form, Some(Form::DockerArchive)) {
            return Err(Error::new(
                Code::EngineLimit,
                "a docker-archive holds an image for one platform",
            )
            .hint("write `--output oci-archive:FILE`, or name one platform"));
        }
        Ok(())
    }
}
