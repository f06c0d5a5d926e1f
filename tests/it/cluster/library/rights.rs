//! What the operators of the library's examples need: their kinds, and not one verb more than they use.

use crate::support::control_plane::ControlPlane;

/// Who the operator `shop` is.
pub(super) const USER: &str = "system:serviceaccount:shop-system:shop-controller-manager";

/// A kind that takes whatever it is given, as those do that were installed before a field had a type.
fn definition(group: &str, plural: &str, kind: &str, scope: &str) -> String {
    let singular = kind.to_lowercase();
    format!(
        "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: {plural}.{group}}}
spec:
  group: {group}
  scope: {scope}
  names: {{plural: {plural}, singular: {singular}, kind: {kind}}}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {{status: {{}}}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {{type: object, x-kubernetes-preserve-unknown-fields: true}}
          status:
            type: object
            x-kubernetes-preserve-unknown-fields: true
            properties:
              conditions:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [type]
                items:
                  type: object
                  required: [type]
                  x-kubernetes-preserve-unknown-fields: true
                  properties: {{type: {{type: string}}}}
---"
    )
}

/// The account of an operator, with a role.
fn account(name: &str, rules: &str) -> String {
    format!(
        "
apiVersion: v1
kind: Namespace
metadata: {{name: {name}-system}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {{name: {name}-controller-manager, namespace: {name}-system}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {{name: {name}}}
rules:{rules}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {{name: {name}}}
roleRef: {{apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: {name}}}
subjects: [{{kind: ServiceAccount, name: {name}-controller-manager, namespace: {name}-system}}]
---"
    )
}

/// Owners that block their children's deletion want `finalizers: update` in a cluster that asks for it.
const SHOP: &str = "
- {apiGroups: [shop.example.com], resources: [shops, regions], verbs: [list, watch, patch]}
- {apiGroups: [shop.example.com], resources: [shops/status], verbs: [patch]}
- {apiGroups: [shop.example.com], resources: [shops/finalizers, regions/finalizers], verbs: [update]}
- {apiGroups: [''], resources: [configmaps, services, secrets], verbs: [list, watch, get, create, patch, delete]}
- {apiGroups: [''], resources: [configmaps/finalizers], verbs: [update]}
- {apiGroups: [''], resources: [nodes], verbs: [list, watch]}
- {apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], verbs: [list, watch, get, create, patch, delete]}
- {apiGroups: [desk.example.com], resources: [tickets], verbs: [list, watch, get, create, patch, delete]}
- {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]}
- {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create, update, watch]}
- apiGroups: [admissionregistration.k8s.io]
  resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations]
  resourceNames: [shops]
  verbs: [get, list, watch, patch]";

const OPTIONAL: &str = "
- {apiGroups: [''], resources: [configmaps, secrets], verbs: [list, watch]}
- {apiGroups: [events.k8s.io], resources: [events], verbs: [create, patch]}
- {apiGroups: [haunt.example.com], resources: [ghosts], verbs: [list, watch]}";

/// Installs the kinds and the accounts.
pub(in crate::cluster) fn install(plane: &ControlPlane) {
    let group = "shop.example.com";
    let manifests = [
        definition(group, "shops", "Shop", "Namespaced"),
        definition(group, "regions", "Region", "Cluster"),
        definition("desk.example.com", "tickets", "Ticket", "Namespaced"),
        account("shop", SHOP),
        account("optional", OPTIONAL),
    ];
    let applied = plane.apply(&manifests.concat());
    let errors = String::from_utf8_lossy(&applied.stderr);
    assert!(applied.status.success(), "{errors}");
    plane.wait_for_crds();
}
