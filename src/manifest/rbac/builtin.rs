//! The resources of Kubernetes itself.

/// What discovery (`/api/v1`, `/apis/<group>/<version>`) of a kube-apiserver 1.37.2 lists with all
/// versions and all alpha and beta features enabled (`--runtime-config=api/all=true
/// --feature-gates=AllAlpha=true,AllBeta=true`): a group, its resources that live in a namespace
/// and those that do not, each with its subresources behind the slash. All sorted.
const SERVED: &[(&str, &str, &str)] = &[
    (
        "",
        "bindings configmaps endpoints events limitranges persistentvolumeclaims/status \
         pods/attach,binding,ephemeralcontainers,eviction,exec,log,portforward,proxy,resize,status \
         podtemplates replicationcontrollers/scale,status resourcequotas/status secrets \
         serviceaccounts/token services/proxy,status",
        "componentstatuses namespaces/finalize,status nodes/proxy,status persistentvolumes/status",
    ),
    (
        "admissionregistration.k8s.io",
        "",
        "mutatingadmissionpolicies mutatingadmissionpolicybindings mutatingwebhookconfigurations \
         validatingadmissionpolicies/status validatingadmissionpolicybindings \
         validatingwebhookconfigurations",
    ),
    (
        "apiextensions.k8s.io",
        "",
        "customresourcedefinitions/status",
    ),
    ("apiregistration.k8s.io", "", "apiservices/status"),
    (
        "apps",
        "controllerrevisions daemonsets/status deployments/scale,status replicasets/scale,status \
         statefulsets/scale,status",
        "",
    ),
    (
        "authentication.k8s.io",
        "",
        "selfsubjectreviews tokenreviews",
    ),
    (
        "authorization.k8s.io",
        "localsubjectaccessreviews",
        "selfsubjectaccessreviews selfsubjectrulesreviews subjectaccessreviews",
    ),
    ("autoscaling", "horizontalpodautoscalers/status", ""),
    ("batch", "cronjobs/status jobs/status", ""),
    (
        "certificates.k8s.io",
        "podcertificaterequests/status",
        "certificatesigningrequests/approval,status clustertrustbundles",
    ),
    ("coordination.k8s.io", "leasecandidates leases", ""),
    ("discovery.k8s.io", "endpointslices", ""),
    ("events.k8s.io", "events", ""),
    (
        "flowcontrol.apiserver.k8s.io",
        "",
        "flowschemas/status prioritylevelconfigurations/status",
    ),
    ("internal.apiserver.k8s.io", "", "storageversions/status"),
    (
        "lifecycle.k8s.io",
        "evictionrequests/status evictions/status",
        "",
    ),
    (
        "networking.k8s.io",
        "ingresses/status networkpolicies",
        "ingressclasses ipaddresses servicecidrs/status",
    ),
    ("node.k8s.io", "", "runtimeclasses"),
    ("policy", "poddisruptionbudgets/status", ""),
    (
        "rbac.authorization.k8s.io",
        "rolebindings roles",
        "clusterrolebindings clusterroles",
    ),
    (
        "resource.k8s.io",
        "resourceclaims/status resourceclaimtemplates",
        "deviceclasses devicetaintrules/status resourcepoolstatusrequests/status resourceslices",
    ),
    (
        "scheduling.k8s.io",
        "compositepodgroups/status podgroups/status workloads",
        "priorityclasses",
    ),
    (
        "storage.k8s.io",
        "csistoragecapacities",
        "csidrivers csinodes/status storageclasses volumeattachments/status volumeattributesclasses",
    ),
    (
        "storagemigration.k8s.io",
        "",
        "storageversionmigrations/status",
    ),
];

/// What authorizers are asked about though no API serves it, in the same form.
///
/// Users, groups and the like stand for the right to impersonate them (`k8s.io/apiserver`,
/// `pkg/endpoints/filters/impersonation`), signers for the right to sign as them
/// (`pkg/certauthorization` of `k8s.io/kubernetes`), the subresources of nodes for the kubelet's
/// own API (`pkg/kubelet/server/auth.go`), those of claims for parts of their status
/// (`k8s.io/api/resource/v1`), and `restricted` for addresses that an `OpenShift` cluster guards
/// (its admission plugin `RestrictedEndpointsAdmission`).
const VIRTUAL: &[(&str, &str, &str)] = &[
    (
        "",
        "endpoints/restricted",
        "groups nodes/checkpoint,configz,healthz,log,metrics,pods,spec,stats,statusz users",
    ),
    (
        "authentication.k8s.io",
        "serviceaccounts",
        "groups nodes uids userextras users",
    ),
    ("certificates.k8s.io", "", "signers"),
    ("discovery.k8s.io", "endpointslices/restricted", ""),
    ("resource.k8s.io", "resourceclaims/binding,driver", ""),
];

/// A resource of Kubernetes itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltIn {
    /// The API group: empty for the core group.
    pub(super) group: &'static str,
    /// Its plural name.
    pub(super) name: &'static str,
    /// Its subresources, separated by commas.
    pub(super) subresources: &'static str,
    /// Whether it lives in a namespace.
    pub(super) namespaced: bool,
    /// Whether an API serves it.
    pub(super) served: bool,
}

/// Every resource of Kubernetes. One that has subresources which are served and others which are
/// not occurs twice.
pub(super) fn all() -> impl Iterator<Item = BuiltIn> {
    let tables = [(SERVED, true), (VIRTUAL, false)];
    let rows = tables
        .into_iter()
        .flat_map(|(table, served)| table.iter().map(move |row| (row, served)));
    rows.flat_map(|((group, namespaced, cluster), served)| {
        let words = |words: &'static str, namespaced| {
            words.split_whitespace().map(move |word| {
                let (name, subresources) = word.split_once('/').unwrap_or((word, ""));
                BuiltIn {
                    group,
                    name,
                    subresources,
                    namespaced,
                    served,
                }
            })
        };
        words(namespaced, true).chain(words(cluster, false))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_name_nothing_twice() {
        for table in [SERVED, VIRTUAL] {
            assert!(table.is_sorted_by_key(|(group, ..)| group));
            for (_, namespaced, cluster) in table {
                for words in [namespaced, cluster] {
                    let words: Vec<&str> = words.split_whitespace().collect();
                    let names = words.iter().map(|word| word.split('/').next());
                    assert!(names.is_sorted_by(|a, b| a < b), "{words:?}");
                    for (_, subresources) in words.iter().filter_map(|w| w.split_once('/')) {
                        assert!(
                            subresources.split(',').is_sorted_by(|a, b| a < b),
                            "{words:?}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn no_resource_is_in_a_namespace_and_in_none() {
        for a in all() {
            for b in all().filter(|b| (a.group, a.name) == (b.group, b.name)) {
                assert_eq!(a.namespaced, b.namespaced, "{a:?}");
            }
        }
    }

    #[test]
    fn resources_are_read_from_the_tables() {
        let of = |group, name| -> Vec<(&str, bool)> {
            all()
                .filter(|r| (r.group, r.name) == (group, name))
                .map(|r| (r.subresources, r.namespaced))
                .collect()
        };
        assert_eq!(of("apps", "deployments"), [("scale,status", true)]);
        assert_eq!(of("", "secrets"), [("", true)]);
        assert_eq!(of("storage.k8s.io", "storageclasses"), [("", false)]);
        assert_eq!(of("", "endpoints"), [("", true), ("restricted", true)]);
    }
}
