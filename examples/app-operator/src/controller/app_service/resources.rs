//! What an `AppService` asks for, as Kubernetes resources. Pure: the same object always gives the same
//! resources.

use app_operator_api::app::v1alpha1::AppService;

use k8s_openapi::api::core::v1::{
    Capabilities, Container, Pod, PodSecurityContext, PodSpec, SeccompProfile, SecurityContext,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::{Resource, ResourceExt};

use crate::runtime::labels;

/// The pod, which may run in a namespace of the "restricted" level. Of a pod that runs only the image
/// can be changed.
#[must_use]
pub fn pod(object: &AppService) -> Pod {
    Pod {
        metadata: ObjectMeta {
            name: Some(format!("{}-pod", object.name_any())),
            labels: Some(labels::all(object)),
            owner_references: Some(object.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        spec: Some(PodSpec {
            automount_service_account_token: Some(false),
            containers: vec![Container {
                name: "busybox".to_owned(),
                image: Some(object.spec.image.clone()),
                command: Some(["sleep", "3600"].map(str::to_owned).into()),
                security_context: Some(SecurityContext {
                    allow_privilege_escalation: Some(false),
                    capabilities: Some(Capabilities {
                        drop: Some(vec!["ALL".to_owned()]),
                        add: None,
                    }),
                    read_only_root_filesystem: Some(true),
                    ..SecurityContext::default()
                }),
                ..Container::default()
            }],
            security_context: Some(PodSecurityContext {
                run_as_non_root: Some(true),
                run_as_user: Some(65532),
                seccomp_profile: Some(SeccompProfile {
                    type_: "RuntimeDefault".to_owned(),
                    localhost_profile: None,
                }),
                ..PodSecurityContext::default()
            }),
            ..PodSpec::default()
        }),
        status: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_pod_is_owned_and_runs_the_image() {
        let object =
            json!({ "metadata": { "name": "one", "uid": "1" }, "spec": { "image": "busybox:1" } });
        let pod = pod(&serde_json::from_value(object).expect("a valid object"));
        let pod = serde_json::to_value(pod).expect("a serialisable pod");
        assert_eq!(pod["metadata"]["name"], "one-pod");
        assert_eq!(pod["metadata"]["ownerReferences"][0]["uid"], "1");
        let container = &pod["spec"]["containers"][0];
        assert_eq!(container["image"], "busybox:1");
        assert_eq!(container["command"], json!(["sleep", "3600"]));
    }
}
