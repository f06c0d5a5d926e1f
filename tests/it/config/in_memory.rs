//! What rop renders without kubectl: the helper `kustomize` compares each rendering that it can do with kubectl's.

use rop::disk::View;
use rop::objects::Objects;

use super::{DEFAULT_KUSTOMIZATION, kustomize, project};
use crate::support::World;

fn is_in_memory(world: &World, folder: &str) -> bool {
    let view = View::of(&world.path()).expect("a view");
    Objects::in_memory(&view, folder).is_ok()
}

/// A project with webhooks, conversion, policies and a network policy takes no kubectl.
#[test]
fn a_whole_project_takes_no_kubectl() {
    let world = World::with_api();
    for create in [
        "webhook --group app --kind AppService --defaulting --validation",
        "api --group app --version v1 --kind AppService",
        "webhook --group app --kind AppService --conversion",
        "policy --group app --kind AppService --validating",
        "policy --group core --kind Pod --mutating",
    ] {
        world.rop(&format!("create {create}")).ok();
    }
    let text = world.read(DEFAULT_KUSTOMIZATION);
    let components = text.lines().find(|line| line.starts_with("components:"));
    let components = components.expect("components");
    world.replace(
        DEFAULT_KUSTOMIZATION,
        components,
        "components: [../network-policy, ../pod-disruption-budget, ../prometheus, ../webhook, ../policy]",
    );
    for folder in ["crd", "default", "manager", "rbac", "samples"] {
        let folder = format!("config/{folder}");
        assert!(is_in_memory(&world, &folder), "{folder}");
        kustomize(&world, &folder);
    }
}

/// Kinds that users add for the operator's pod: each name follows the prefix, also where another object has it.
#[test]
fn kinds_around_the_pod_take_no_kubectl() {
    let world = World::with_api();
    world.write(
        "config/default/more.yaml",
        "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n---\n\
         apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: quota, namespace: system}\n\
         spec: {hard: {pods: '10'}}\n---\n\
         apiVersion: v1\nkind: LimitRange\nmetadata: {name: limits, namespace: system}\n\
         spec: {limits: [{type: Container, default: {cpu: 100m}}]}\n---\n\
         apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: scaler, namespace: system}\n\
         spec:\n  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: controller-manager}\n  \
         maxReplicas: 3\n---\n\
         apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data, namespace: system}\n\
         spec: {accessModes: [ReadWriteOnce], selector: {matchLabels: {a: b}}}\n",
    );
    world.replace(
        DEFAULT_KUSTOMIZATION,
        "- ../crd\n",
        "- ../crd\n- more.yaml\n",
    );
    world.replace(
        "config/manager/manager.yaml",
        "      serviceAccountName:",
        "      priorityClassName: high\n      volumes:\n      - name: data\n        persistentVolumeClaim:\n          \
         claimName: data\n      serviceAccountName:",
    );
    assert!(is_in_memory(&world, "config/default"));
    kustomize(&world, "config/default");
}

/// Fields of the Deployment: one more, another, none, lists with and without keys.
const FIELDS: &str = r#"patches:
- patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata:
      name: controller-manager
      namespace: system
      annotations:
        example.com/a: "1"
    spec:
      replicas: 3
      template:
        metadata:
          labels:
            tier: control
        spec:
          priorityClassName: system-cluster-critical
          securityContext: null
          nodeSelector:
            kubernetes.io/os: linux
          tolerations:
          - key: dedicated
            operator: Exists
          affinity:
            podAntiAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
              - topologyKey: kubernetes.io/hostname
                labelSelector:
                  matchLabels:
                    control-plane: controller-manager
          initContainers:
          - name: wait
            image: busybox:1
          containers:
          - name: proxy
            image: example.com/proxy:1
          - name: manager
            args:
            - --health-port=8081
            env:
            - name: RUST_LOG
              value: debug
            - name: PASSWORD
              valueFrom:
                secretKeyRef:
                  name: settings
                  key: password
            envFrom:
            - configMapRef:
                name: settings
            ports:
            - containerPort: 9000
              name: more
            volumeMounts:
            - name: settings
              mountPath: /etc/settings
            resources:
              limits:
                cpu: null
                memory: 256Mi
          volumes:
          - name: settings
            secret:
              secretName: settings
"#;

/// Operations on what a target selects.
const OPERATIONS: &str = "patches:
- target:
    kind: Deployment
    name: controller-.*
  patch: |-
    - op: replace
      path: /spec/replicas
      value: 2
    - op: add
      path: /spec/template/spec/containers/0/args/-
      value: --log-format=json
- target:
    kind: ClusterRole
    name: manager-role
  patch: |-
    - {op: add, path: /metadata/annotations, value: {a~1b: c}}
    - op: remove
      path: /rules/0
- target:
    kind: Service
  patch: |-
    apiVersion: v1
    kind: Service
    metadata:
      name: any
    spec:
      type: NodePort
- target:
    kind: Nothing
  patch: |-
    - op: remove
      path: /a
";

/// Images, and names with something behind them.
const IMAGES: &str = "images:
- name: controller
  newName: registry.example.com:5000/team/app
  digest: sha256:0123456789012345678901234567890123456789012345678901234567890123
nameSuffix: -blue
";

/// Objects of the user's own.
const EXTRA: &str = "apiVersion: v1
kind: Secret
metadata:
  name: settings
  namespace: system
stringData:
  password: secret
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: settings
  namespace: system
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata:
  name: view
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: view
subjects:
- kind: ServiceAccount
  name: default
  namespace: system
- kind: ServiceAccount
  name: controller-manager
  namespace: system
- kind: Group
  name: people
  apiGroup: rbac.authorization.k8s.io
---
apiVersion: app.example.com/v1alpha1
kind: AppService
metadata:
  name: one
spec:
  template:
    containers:
    - image: controller
";

const DELETE: &str = "patches:
- patch: |-
    apiVersion: v1
    kind: ServiceAccount
    metadata:
      name: controller-manager
      namespace: system
    $patch: delete
";

const OVERLAY: &str = "resources:
- ../production
namePrefix: over-
namespace: over
labels:
- includeSelectors: true
  pairs:
    over: \"1\"
";

const HEAD: &str = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";

/// What users write below `config/` most, and what of it takes kubectl.
#[test]
fn edits_of_users_render_as_kubectl_renders_them() {
    for (edit, resource, is_known) in [
        (FIELDS, "extra.yaml", true),
        (OPERATIONS, "../manager", true),
        (IMAGES, "extra.yaml", true),
        (
            "labels:\n- includeTemplates: true\n  pairs:\n    a: b\n",
            "extra.yaml",
            true,
        ),
        (DELETE, "../manager", true),
        ("buildMetadata: [managedByLabel]\n", "../manager", false),
    ] {
        let world = project(false, 1);
        world.write("config/production/extra.yaml", EXTRA);
        let rest = "namespace: production\nnamePrefix: app-\nresources:\n- ../rbac\n- ../crd\n";
        let manager = if resource == "../manager" {
            ""
        } else {
            "- ../manager\n"
        };
        world.write(
            "config/production/kustomization.yaml",
            &format!("{HEAD}{edit}{rest}{manager}- {resource}\n"),
        );
        assert_eq!(
            is_in_memory(&world, "config/production"),
            is_known,
            "{edit}"
        );
        kustomize(&world, "config/production");
        // One more over it, with names of its own.
        world.write(
            "config/overlay/kustomization.yaml",
            &format!("{HEAD}{OVERLAY}"),
        );
        assert_eq!(is_in_memory(&world, "config/overlay"), is_known, "{edit}");
        kustomize(&world, "config/overlay");
    }
}
