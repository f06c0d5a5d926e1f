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
                format!(
                    "invalid image `{}`: the image to build cannot have a digest",
                    self.image
                ),
            )
            .hint(format!("remove `@{digest}`")));
        }
        if self.push && !self.image.name().contains('/') {
            return Err(Error::new(
                Code::InvalidImage,
                format!("invalid image `{}`: `--push` needs a registry", self.image),
            )
            .hint(format!("for example `registry.example.com/{}`", self.image))
            .hint("the default image is set in config/manager/kustomization.yaml"));
        }
        Ok(())
    }

    /// Refuses what neither an engine nor rop itself can do.
    pub(super) fn suits(&self, engine: Option<Engine>) -> Result<()> {
        let form = self.output.as_ref().map(|output| output.form);
        let has_several = self.platforms.len() > 1;
        if let (Some(engine), Some(folder)) = (engine, self.beside) {
            return Err(Error::new(
                Code::EngineLimit,
                format!(
                    "{} cannot read the runtime at `{folder}`: it is outside the project",
                    engine.program()
                ),
            )
            .hint("build without an engine: `--engine none`"));
        }
        if let Some(engine) = engine.filter(|_| has_several) {
            return Err(Error::new(
                Code::EngineLimit,
                format!("{} builds for one platform only", engine.program()),
            )
            .hint("set one platform, or let rop build for all of them: `--engine none`"));
        }
        if let (Some(Engine::Docker), Some(Form::Oci | Form::OciArchive)) = (engine, form) {
            return Err(
                Error::new(Code::EngineLimit, "docker writes docker-archive only")
                    .hint("use `--output docker-archive:FILE`, or let rop build: `--engine none`"),
            );
        }
        if has_several && matches!(form, Some(Form::DockerArchive)) {
            return Err(Error::new(
                Code::EngineLimit,
                "a docker-archive can contain one platform only",
            )
            .hint("use `--output oci-archive:FILE`, or set one platform"));
        }
        Ok(())
    }
}
