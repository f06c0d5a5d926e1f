//! The controller of shops.

use std::collections::BTreeMap;
use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod, Secret, Service, ServicePort, ServiceSpec};
use k8s_openapi::api::rbac::v1::ClusterRole;
use kube::api::{ApiResource, DynamicObject, GroupVersionKind};
use kube::discovery::Scope;
use kube::runtime::predicates;
use kube::{Resource, ResourceExt};
use rop_runtime::conditions::{Conditions, READY};
use rop_runtime::{Action, Cleanup, Context, Error, Index, Manager, ObjectRef, Store, Watch};
use serde_json::json;
use tracing::info;

use crate::State;
use crate::kinds::{Shop, ShopStatus, named};

/// The label of a node that says where it is.
const ZONE: &str = "topology.kubernetes.io/zone";

/// Nodes by their zone.
const NODES_BY_ZONE: Index<Node> = Index::new("zone", |node| {
    node.labels().get(ZONE).cloned().into_iter().collect()
});

/// Shops by the zone whose nodes they count.
const SHOPS_BY_ZONE: Index<Shop> =
    Index::new("zone", |shop| shop.spec.zone.clone().into_iter().collect());

pub(crate) fn register(manager: &mut Manager<State>) {
    manager
        .controller(reconcile)
        .owns_with::<ConfigMap>(Watch::new().everywhere())
        .owns_whole::<Service>()
        .owns::<ClusterRole>()
        .owns_dynamic(tickets(), Scope::Namespaced)
        .refers_to::<Secret, _>(|shop: &Shop| shop.spec.credentials.clone())
        .watches_with(Watch::new().filter(predicates::labels), shops_of_node)
        .on_failure(failed)
        .finalizer(cleanup)
        .start();
}

fn tickets() -> ApiResource {
    ApiResource::from_gvk(&GroupVersionKind::gvk("desk.example.com", "v1", "Ticket"))
}

fn shops_of_node(node: &Node, shops: &Store<Shop>) -> Vec<ObjectRef<Shop>> {
    let zone = node.labels().get(ZONE).into_iter();
    let shops = zone.flat_map(|zone| shops.by(&SHOPS_BY_ZONE, zone));
    shops.map(|shop| ObjectRef::from_obj(&*shop)).collect()
}

async fn reconcile(shop: Arc<Shop>, context: Context<State>) -> Result<Action, Error> {
    info!("begins");
    context.state.greetings.inc();
    let (name, spec) = (shop.name_any(), &shop.spec);
    if let Some(secret) = &spec.credentials {
        let namespace = shop.namespace();
        context
            .cached::<Secret>()?
            .require(namespace.as_deref(), secret)?;
    }
    if spec.pods {
        context.cached::<Pod>()?.list();
    }
    context.apply(&*shop, greeting(&shop, &context)).await?;
    if let Some(branch) = &spec.branch {
        let child = in_branch(greeting(&shop, &context), branch);
        context.apply(&*shop, child).await?;
    }
    if spec.role {
        let role = ClusterRole {
            metadata: named(role_name(&shop)),
            ..ClusterRole::default()
        };
        context.apply(&*shop, role).await?;
    }
    let mut ticket = DynamicObject::new(&name, &tickets());
    if let Some(title) = &spec.ticket {
        ticket.data = json!({"spec": {"title": title}});
        context.apply(&*shop, ticket).await?;
    } else {
        context.delete_child(&*shop, &ticket).await?;
    }
    if let Some(motto) = &spec.motto {
        let child = ConfigMap {
            metadata: named(format!("{name}-motto")),
            data: Some(BTreeMap::from([("motto".to_owned(), motto.clone())])),
            ..ConfigMap::default()
        };
        context.apply_without_force(&*shop, child).await?;
    }
    let service = spec.port.map(|port| service(&name, port));
    let service = context.apply_or_delete(&*shop, &name, service).await?;
    let nodes = match &spec.zone {
        Some(zone) => Some(context.cached::<Node>()?.by(&NODES_BY_ZONE, zone).len()),
        None => None,
    };
    let shops = context.cached::<Shop>()?.list();
    let beside = shops
        .iter()
        .filter(|other| other.namespace() == shop.namespace());
    let status = ShopStatus {
        conditions: ready(&shop, true, "Open", "the shop is open"),
        cluster_ip: service.and_then(|service| service.spec?.cluster_ip),
        nodes,
        shops: nodes.map(|_| beside.count()),
    };
    context.report(&*shop, status).await?;
    info!("ends");
    Ok(Action::await_change())
}

fn greeting(shop: &Shop, context: &Context<State>) -> ConfigMap {
    let text = format!("{}, {}", context.state.salutation, shop.spec.greeting);
    let mut child = ConfigMap {
        metadata: named(shop.name_any()),
        data: Some(BTreeMap::from([("text".to_owned(), text)])),
        ..ConfigMap::default()
    };
    child.metadata.labels = Some(shop.spec.labels.clone());
    child
}

fn service(name: &str, port: u16) -> Service {
    let port = ServicePort {
        port: port.into(),
        ..ServicePort::default()
    };
    Service {
        metadata: named(name),
        spec: Some(ServiceSpec {
            ports: Some(vec![port]),
            ..ServiceSpec::default()
        }),
        ..Service::default()
    }
}

/// A greeting that stands in another namespace.
fn in_branch(mut greeting: ConfigMap, branch: &str) -> ConfigMap {
    greeting.metadata.namespace = Some(branch.to_owned());
    greeting
}

fn role_name(shop: &Shop) -> String {
    format!(
        "shop-{}-{}",
        shop.namespace().unwrap_or_default(),
        shop.name_any()
    )
}

async fn cleanup(shop: Arc<Shop>, context: Context<State>) -> Result<Cleanup, Error> {
    let mut state = Cleanup::Done;
    if let Some(branch) = &shop.spec.branch {
        let child = in_branch(greeting(&shop, &context), branch);
        state = state.and(context.remove_child(&*shop, &child).await?);
    }
    if shop.spec.role {
        let name = role_name(&shop);
        state = state.and(context.remove::<ClusterRole>(&*shop, &name).await?);
    }
    info!(?state, "cleaned up");
    Ok(state)
}

fn failed(shop: &Shop, error: &Error) -> ShopStatus {
    ShopStatus {
        conditions: ready(shop, false, error.reason(), &error.to_string()),
        ..shop.status.clone().unwrap_or_default()
    }
}

fn ready(
    shop: &Shop,
    holds: bool,
    reason: &str,
    message: &str,
) -> Vec<k8s_openapi::apimachinery::pkg::apis::meta::v1::Condition> {
    let before = shop.status.as_ref().map(|status| &*status.conditions);
    let mut conditions = Conditions::of(before.unwrap_or_default(), shop.meta().generation);
    conditions.set(READY, holds, reason, message);
    conditions.into()
}
