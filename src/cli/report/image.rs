//! What is said of an image that is built, or would be.

use std::path::Path;

use serde_json::{Value, json};

use crate::error::Result;
use crate::image::{Built, ContentRequest, Engine, Recipe, Request};
use crate::project::name::Image;

use super::of_done;
use crate::cli::invocation::Invocation;

/// An image that is asked for.
pub(in crate::cli) struct Delivered<'a> {
    /// The command that was run.
    pub(in crate::cli) command: &'a str,
    pub(in crate::cli) image: &'a Image,
    pub(in crate::cli) push: bool,
}

impl<'a> From<&'a Request<'_>> for Delivered<'a> {
    fn from(request: &'a Request<'_>) -> Self {
        Self {
            command: "build",
            image: &request.image,
            push: request.push,
        }
    }
}

/// Builds an image of files and reports it. The name of the image, if there is more to say.
pub(in crate::cli) fn deliver(
    command: &str,
    request: &ContentRequest<'_>,
    invocation: &Invocation,
) -> Result<Option<String>> {
    let recipe = request.recipe()?;
    let delivered = Delivered {
        command,
        image: &request.image,
        push: request.push,
    };
    if invocation.dry_run {
        plan(&delivered, &recipe, invocation)?;
        return Ok(None);
    }
    let built = request.build(&recipe, &invocation.ui)?;
    report(&delivered, &recipe, &built, invocation)?;
    Ok((!invocation.json).then(|| recipe.names[0].to_string()))
}

/// Reports a dry run.
pub(in crate::cli) fn plan(
    request: &Delivered<'_>,
    recipe: &Recipe,
    invocation: &Invocation,
) -> Result<()> {
    if invocation.json {
        return invocation.ui.json(&json(request, recipe, None, invocation));
    }
    invocation.ui.note("dry run: nothing was built");
    let with = recipe.engine.map_or("without an engine".into(), |e| {
        format!("with {}", e.program())
    });
    let mut lines = Vec::new();
    for name in &recipe.names {
        lines.push(format!("    build {name} {with}\n"));
    }
    lines.extend(
        recipe
            .output
            .iter()
            .map(|output| format!("    write {output}\n")),
    );
    if request.push {
        lines.extend(
            recipe
                .names
                .iter()
                .map(|name| format!("     push {name}\n")),
        );
    }
    invocation.ui.data(&lines.concat())
}

/// Reports the result: the digest goes to stdout, for scripts.
pub(in crate::cli) fn report(
    request: &Delivered<'_>,
    recipe: &Recipe,
    built: &Built,
    invocation: &Invocation,
) -> Result<()> {
    if invocation.json {
        let report = json(request, recipe, Some(built), invocation);
        return of_done(request.command, invocation.ui.json(&report));
    }
    if let Some((packed, unpacked)) = built.sizes {
        let size = |bytes: u64| format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10);
        let text = format!(
            "{} ({}, {} unpacked)",
            request.image,
            size(packed),
            size(unpacked)
        );
        invocation.ui.done("done", &text);
    } else {
        invocation.ui.done("done", request.image.as_str());
    }
    match &built.digest {
        Some(digest) => {
            let reference = format!("{}@{digest}\n", request.image.name());
            of_done(request.command, invocation.ui.data(&reference))
        }
        None => Ok(()),
    }
}

fn json(
    request: &Delivered<'_>,
    recipe: &Recipe,
    built: Option<&Built>,
    invocation: &Invocation,
) -> Value {
    let names: Vec<_> = recipe.names.iter().map(Image::as_str).collect();
    let sizes = built.and_then(|built| built.sizes);
    json!({
        "command": request.command,
        "dryRun": built.is_none(),
        "engine": recipe.engine.map(Engine::program),
        "images": names,
        "output": recipe.output.as_ref().map(ToString::to_string),
        "push": request.push,
        "digest": built.and_then(|built| built.digest.clone()),
        "size": sizes.map(|(packed, _)| packed),
        "unpackedSize": sizes.map(|(_, unpacked)| unpacked),
        "notes": invocation.ui.notes(),
    })
}

/// How to go on from an image that is here alone.
pub(in crate::cli) fn next(root: &Path, recipe: &Recipe) -> Vec<String> {
    let name = &recipe.names[0];
    match (&recipe.output, recipe.engine) {
        (Some(output), _) => {
            let path = output
                .path
                .strip_prefix(root)
                .unwrap_or(&output.path)
                .display();
            vec![
                format!("docker load --input {path}"),
                format!("podman load --input {path}"),
                format!("kind load image-archive {path}"),
                format!("rop build --push {name}"),
            ]
        }
        (None, Some(engine)) => vec![format!("{} push {name}", engine.program())],
        (None, None) => Vec::new(),
    }
}
