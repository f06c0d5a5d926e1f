//! What cannot be asked for at once.

use crate::error::{Code, Error, Result};

use crate::project::name::Image;

use super::Request;
use super::engine::Engine;
use super::output::Form;

/// Refuses an image whose name is not one to build.
pub(super) fn without_digest(image: &Image) -> Result<()> {
    match image.digest() {
        Some(digest) => Err(Error::new(
            Code::InvalidImage,
            format!("invalid image `{image}`: the image to build cannot have a digest"),
        )
        .hint(format!("remove `@{digest}`"))),
        None => Ok(()),
    }
}

/// Refuses an image whose name is not one to push.
pub(super) fn with_registry(image: &Image) -> Result<()> {
    if image.name().contains('/') {
        Ok(())
    } else {
        Err(Error::new(
            Code::InvalidImage,
            format!("invalid image `{image}`: `--push` needs a registry"),
        )
        .hint(format!("for example `registry.example.com/{image}`")))
    }
}

/// Refuses an archive that has no room for several platforms.
pub(super) fn fits(form: Option<Form>, has_several: bool) -> Result<()> {
    if has_several && matches!(form, Some(Form::DockerArchive)) {
        Err(Error::new(
            Code::EngineLimit,
            "a docker-archive can contain one platform only",
        )
        .hint("use `--output oci-archive:FILE`, or set one platform"))
    } else {
        Ok(())
    }
}

impl Request<'_> {
    /// Refuses an image whose name is not one to build, or to push.
    pub(super) fn names_a_place(&self) -> Result<()> {
        without_digest(&self.image)?;
        if self.push {
            with_registry(&self.image).map_err(|error| {
                error.hint("the default image is set in config/manager/kustomization.yaml")
            })
        } else {
            Ok(())
        }
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
        fits(form, has_several)
    }
}
