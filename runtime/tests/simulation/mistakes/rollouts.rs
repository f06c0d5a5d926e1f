//! Sites that report the rollout of their Deployment.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Service;
use kube::ResourceExt;
use kube::api::{DeleteParams, ListParams};
use rop_runtime::conditions::{Conditions, DEGRADED, READY};
use rop_runtime::labels::MANAGED_BY;
use rop_runtime::{Context, Error};

use super::site::{Mistake, Site, SiteStatus, State, near};
use crate::operator::IDENTITY;

/// Waits for the rollout, in one mistake.
pub(super) async fn wait(
    site: &Site,
    context: &Context<State>,
    mut deployment: Deployment,
) -> Result<Deployment, Error> {
    let deployments = near::<Deployment>(site, context);
    while context.state.mistake == Mistake::WaitsForRollout && !is_available(&deployment) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        deployment = deployments.get(&site.name_any()).await?;
    }
    Ok(deployment)
}

/// The status with the rollout.
pub(super) fn reported(
    site: &Site,
    mistake: Mistake,
    deployment: &Deployment,
    mut status: SiteStatus,
) -> SiteStatus {
    let before = site.status.clone().unwrap_or_default();
    let mut conditions = Conditions::of(&before.conditions, site.metadata.generation);
    let is_endless = mistake == Mistake::NeverRolledOut && site.spec.port == Some(1);
    let is_ready = is_available(deployment) && !is_endless;
    let reason = if is_ready { "Available" } else { "RollingOut" };
    conditions.set(READY, is_ready, reason, "the rollout of the Deployment");
    let mut known = before.conditions.iter();
    let was_degraded = known.any(|known| known.type_ == DEGRADED && known.status == "True");
    let is_degraded = has_failed(deployment) || was_degraded && mistake == Mistake::StaysDegraded;
    conditions.set(
        DEGRADED,
        is_degraded,
        reason,
        "the rollout of the Deployment",
    );
    status.conditions = conditions.into();
    status
}

fn is_available(deployment: &Deployment) -> bool {
    let status = deployment.status.clone().unwrap_or_default();
    status.observed_generation == deployment.metadata.generation
        && status.available_replicas == Some(1)
}

fn has_failed(deployment: &Deployment) -> bool {
    let status = deployment.status.clone().unwrap_or_default();
    let mut conditions = status.conditions.into_iter().flatten();
    conditions.any(|condition| {
        let is_false = condition.status.as_deref() == Some("False");
        is_false && condition.type_.as_deref() == Some("Progressing")
    })
}

/// Deletes the Services of all sites.
pub(super) async fn delete_services(site: &Site, context: &Context<State>) -> Result<(), Error> {
    let ours = ListParams::default().labels(&format!("{MANAGED_BY}={}", IDENTITY.name()));
    let services = near::<Service>(site, context);
    for service in services.list(&ours).await? {
        let (name, params) = (service.name_any(), DeleteParams::default());
        services.delete(&name, &params).await?;
    }
    Ok(())
}
