//! What a bundle of a project is made of.

use crate::cli::args::operator::kubectl_to_render;
use crate::cli::invocation::Invocation;
use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::objects::Objects;
use crate::olm::bundle::{Parts, RENDERED, SCORECARD};
use crate::project::layout::SAMPLES;

/// Renders what the bundle is made of: in a project of operator-sdk, `config/manifests` has it all. `operator` renders
/// the manifests of the operator.
///
/// # Errors
/// A folder cannot be rendered, or has no Deployment of the operator.
pub(super) fn parts(
    view: &View,
    operator: &dyn Fn() -> Result<Objects>,
    invocation: &Invocation,
) -> Result<Parts> {
    let render = |folder| Objects::render(view, folder, kubectl_to_render(invocation));
    let can_render = |folder| Objects::can_render(view, folder);
    if can_render(RENDERED) {
        let mut parts = Parts::of_rendered(&render(RENDERED)?);
        parts.objects.check_containers()?;
        if parts.objects.deployments().next().is_none() {
            let message = format!("`{RENDERED}` has no Deployment of the operator");
            let hint = format!("list `../default` in `{RENDERED}/kustomization.yaml`");
            return Err(Error::new(Code::NoOperatorDeployment, message).hint(hint));
        }
        if parts.tests.is_none() && can_render(SCORECARD) {
            parts.notes.push(format!(
                "the tests in `{SCORECARD}` are not in the bundle: list `../scorecard` in `{RENDERED}/kustomization.yaml`"
            ));
        }
        return Ok(parts);
    }
    let mut parts = Parts {
        objects: operator()?,
        ..Parts::default()
    };
    if can_render(SAMPLES) {
        parts.samples = render(SAMPLES)?;
    }
    if can_render(SCORECARD) {
        parts.add_tests(&render(SCORECARD)?, SCORECARD);
    }
    Ok(parts)
}
