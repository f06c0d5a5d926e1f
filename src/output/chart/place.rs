//! The file of an object in a chart.

use crate::manager::is_manager;
use crate::objects::is_crd;

use super::components::Component;
use super::names::plain;
use super::rendered::Object;

/// The folder of the CRDs, in that of templates.
pub(super) const CRDS: &str = "crd/";

/// The file of an object, in the folder of templates.
pub(super) fn file(object: &Object, components: &[Component]) -> String {
    if is_crd(&object.value) {
        return format!("{CRDS}{}.yaml", plain(object.name()));
    }
    let switched = components.iter().rev().find(|component| {
        let switch = component.switch();
        object.when.values().any(|value| value == switch)
    });
    let folder = match (switched, object.kind()) {
        (Some(component), _) => component.name(),
        (None, "Deployment") if is_manager(&object.value) => "manager".to_owned(),
        (
            None,
            "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding" | "ServiceAccount",
        ) => "rbac".to_owned(),
        (None, "Service") if object.when.values().any(|value| value == "metrics.enabled") => {
            "metrics".to_owned()
        }
        _ => "extras".to_owned(),
    };
    format!("{folder}/{}.yaml", plain(object.name()))
}
