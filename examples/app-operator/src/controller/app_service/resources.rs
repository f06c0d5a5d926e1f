//! The desired children of an `AppService`, as pure functions of the object. The runtime adds the
//! namespace, the owner reference and the managed-by label.

use app_operator_api::app::v1alpha1::AppService;

use k8s_openapi::api::core::v1::{
    Capabilities, Container, Pod, PodSecurityContext, PodSpec, SeccompProfile, SecurityContext,
};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::ResourceExt;
use rop_runtime::labels;

/// Returns the name of the pod.
#[must_use]
pub fn name(object: &AppService) -> String {
    format!("{}-pod", object.name_any())
}

/// Returns the desired pod, which meets the "restricted" Pod Security Standard. Only the image of a
/// running pod can be changed.
#[must_use]
pub fn pod(object: &AppService) -> Pod {
    Pod {
        metadata: ObjectMeta {
            name: Some(name(object)),
            labels: Some(labels::selector(object, "pod")),
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
    use super::super::fixture::fixture;
    use super::*;

    #[test]
    fn the_pod_runs_the_image() {
        let mut object = fixture();
        object.spec.image = "busybox:1".to_owned();
        let pod = pod(&object);
        assert_eq!(pod.metadata.name.as_deref(), Some("web-pod"));
        let container = &pod.spec.expect("a spec").containers[0];
        assert_eq!(container.image.as_deref(), Some("busybox:1"));
        assert_eq!(
            container.command.as_deref(),
            Some(&["sleep".to_owned(), "3600".to_owned()][..])
        );
    }
}
