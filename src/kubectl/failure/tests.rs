use crate::error::Code;

use super::explain;

/// What kubectl 1.32 and 1.36 say with an API server 1.36, and a part of the hint: none if it is empty.
const SAID: [(&str, &str); 41] = [
    // The kubeconfig.
    ("error: cannot locate context other", "get-contexts"),
    ("error: context \"nope\" does not exist", "get-contexts"),
    (
        "error: current-context must exist in order to minify",
        "choose a cluster with",
    ),
    (
        "The connection to the server localhost:8080 was refused - did you specify the right host or port?",
        "choose a cluster with",
    ),
    (
        "error: error loading config file \"broken\": yaml: line 1: did not find expected node content",
        "fix the kubeconfig",
    ),
    (
        "error: unable to read certificate-authority /tmp/none.crt for rop due to open /tmp/none.crt: no such file or directory",
        "fix the kubeconfig",
    ),
    (
        "error: exec plugin: invalid apiVersion \"client.authentication.k8s.io/v1alpha1\"",
        "update the credential plugin",
    ),
    // The way to the API server.
    (
        "The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?",
        "cluster-info",
    ),
    (
        "Unable to connect to the server: dial tcp: lookup cluster.invalid on 10.0.0.2:53: no such host",
        "cluster-info",
    ),
    ("Unable to connect to the server: EOF", "cluster-info"),
    (
        "Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority",
        "trusts a different CA",
    ),
    (
        "Unable to connect to the server: tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-26T13:00:00Z is after 2026-11-25T13:00:00Z",
        "renew the certificate",
    ),
    (
        "Unable to connect to the server: tls: failed to verify certificate: x509: certificate is valid for kubernetes, localhost, not example.com",
        "tls-server-name",
    ),
    (
        "error: error validating \"cm.yaml\": error validating data: failed to download openapi: Get \"https://127.0.0.1:6443/openapi/v2?timeout=32s\": tls: failed to verify certificate: x509: certificate signed by unknown authority; if you choose to ignore these errors, turn validation off with --validate=false",
        "trusts a different CA",
    ),
    (
        "Error from server (BadRequest): the server rejected our request for an unknown reason",
        "not an https API server",
    ),
    // Credentials.
    (
        "error: You must be logged in to the server (the server has asked for the client to provide credentials)",
        "log in again",
    ),
    (
        "error: You must be logged in to the server (Unauthorized)",
        "log in again",
    ),
    (
        "Unable to connect to the server: getting credentials: exec: executable aws-nope not found\n\nIt looks like you are trying to use a client-go credential plugin that is not installed.",
        "install it or log in",
    ),
    (
        "token expired, run sso login\nUnable to connect to the server: getting credentials: exec: executable /bin/sso failed with exit code 1",
        "install it or log in",
    ),
    (
        "Unable to connect to the server: getting credentials: exec plugin cannot support interactive mode: standard input is not a terminal",
        "needs a terminal",
    ),
    (
        "Unable to connect to the server: getting credentials: exec plugin is configured to use API version client.authentication.k8s.io/v1, plugin returned version client.authentication.k8s.io/__internal",
        "does not match",
    ),
    // Permissions.
    (
        "Error from server (Forbidden): configmaps \"a\" is forbidden: User \"dev\" cannot patch resource \"configmaps\" in API group \"\" in the namespace \"default\"",
        "for this permission",
    ),
    (
        "Error from server (Forbidden): forbidden: User \"dev\" cannot get path \"/metrics\"",
        "for this permission",
    ),
    (
        "Error from server (Forbidden): unknown",
        "for this permission",
    ),
    (
        "Error from server (Forbidden): clusterroles.rbac.authorization.k8s.io \"big\" is forbidden: user \"dev\" (groups=[\"\" \"system:authenticated\"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}",
        "you can only grant",
    ),
    // What else is forbidden, and what is invalid.
    (
        "Error from server (Forbidden): configmaps \"a\" is forbidden: unable to create new content in namespace term because it is being terminated",
        "wait until it no longer exists",
    ),
    (
        "Error from server (Forbidden): pods \"a\" is forbidden: violates PodSecurity \"restricted:latest\": privileged (container \"a\" must not set securityContext.privileged=true)",
        "Pod Security Standard",
    ),
    (
        "Error from server (Forbidden): configmaps \"a\" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=0, limited: count/configmaps=0",
        "ResourceQuota",
    ),
    (
        "Error from server (Forbidden): namespaces \"kube-system\" is forbidden: this namespace may not be deleted",
        "",
    ),
    (
        "The CustomResourceDefinition \"widgets.example.com\" is invalid: spec.validation.openAPIV3Schema.properties[spec].additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive",
        "fix the source",
    ),
    (
        "Error from server: failed to create typed patch object (default/b; apps/v1, Kind=Deployment): .spec.replicas: expected numeric (int or float), got string",
        "fix the source",
    ),
    (
        "The services \"a\" is invalid: : ValidatingAdmissionPolicy 'pol' with binding 'pol' denied request: no services",
        "denies the object",
    ),
    (
        "Error from server (Forbidden): admission webhook \"hook.example.com\" denied the request: Unauthorized team",
        "denies the object",
    ),
    (
        "Error from server (InternalError): Internal error occurred: failed calling webhook \"hook.example.com\": failed to call webhook: Post \"https://127.0.0.1:1/validate?timeout=2s\": dial tcp 127.0.0.1:1: connect: connection refused",
        "does not respond",
    ),
    // What is not there.
    (
        "error: resource mapping not found for name: \"a\" namespace: \"default\" from \"unk.yaml\": no matches for kind \"Certificate\" in version \"cert-manager.io/v1\"\nensure CRDs are installed first",
        "does not serve this kind",
    ),
    (
        "Error from server (NotFound): namespaces \"nowhere\" not found",
        "create the namespace",
    ),
    (
        "Error from server (NotFound): configmaps \"nothing\" not found",
        "",
    ),
    // The rest.
    (
        "error: Apply failed with 1 conflict: conflict with \"kubectl\": .data.a\nPlease review the fields above--they currently have other managers. Here",
        "--force-conflicts",
    ),
    (
        "Error: unknown flag: --server-side\nSee 'kubectl apply --help' for usage.",
        "install a current release",
    ),
    (
        "error: unknown command \"token\" for \"kubectl create\"",
        "install a current release",
    ),
    ("something new", ""),
];

#[test]
fn says_what_to_do() {
    for (stderr, part) in SAID {
        let error = explain(stderr);
        let hints = error.hints();
        match part {
            "" => assert!(hints.is_empty(), "{stderr}: {hints:?}"),
            part => assert!(
                hints.len() == 1 && hints[0].contains(part),
                "{stderr}: {hints:?}"
            ),
        }
    }
}

#[test]
fn says_what_failed() {
    for (stderr, code) in [
        ("error: context \"nope\" does not exist", Code::NoCluster),
        (
            "Unable to connect to the server: EOF",
            Code::ClusterUnreachable,
        ),
        (
            "error: You must be logged in to the server (Unauthorized)",
            Code::Unauthorized,
        ),
        ("Error from server (Forbidden): unknown", Code::Forbidden),
        (
            "error: Apply failed with 1 conflict: conflict with \"kubectl\": .data.a",
            Code::FieldConflict,
        ),
        ("something new", Code::KubectlFailed),
        ("", Code::KubectlFailed),
    ] {
        assert_eq!(explain(stderr).code(), code, "{stderr}");
    }
}

/// Words of users and of other programs are no reasons.
#[test]
fn what_others_say_decides_nothing() {
    for stderr in [
        "Error from server (NotFound): configmaps \"Forbidden\" not found",
        "Error from server (AlreadyExists): configmaps \"x\" already exists: Unauthorized, i/o timeout, Forbidden",
        "a plugin: context deadline exceeded, x509, Forbidden, is invalid",
    ] {
        let error = explain(stderr);
        assert!(error.hints().is_empty(), "{stderr}: {:?}", error.hints());
    }
}

#[test]
fn each_failure_of_several_has_its_hint() {
    let error = explain(
        "resource mapping not found for name: \"a\" namespace: \"default\" from \"m.yaml\": no matches for kind \"Certificate\" in version \"cert-manager.io/v1\"
ensure CRDs are installed first
Error from server (InternalError): Internal error occurred: failed calling webhook \"hook.example.com\": failed to call webhook: EOF
Error from server (Invalid): ConfigMap \"A_B\" is invalid: metadata.name: Invalid value: \"A_B\"
Error from server (Invalid): ConfigMap \"C_D\" is invalid: metadata.name: Invalid value: \"C_D\"",
    );
    assert_eq!(error.hints().len(), 3, "{:?}", error.hints());
}

fn message(stderr: &str) -> String {
    explain(stderr).chain().next().unwrap_or_default()
}

#[test]
fn leaves_log_lines_out() {
    let stderr = "E1121 10:00:00.000000    1 memcache.go:265] \"Unhandled Error\" err=\"x\"
E1126 13:32:51.925989    2717 memcache.go:265] \"Unhandled Error\" err=<
\tcouldn't get current server API group list: x
\t
\tTo learn more
 >
error: Unable to connect to the server: EOF
Error in a
";
    assert_eq!(
        message(stderr),
        "Unable to connect to the server: EOF\nError in a"
    );
    assert_eq!(message("\n"), "kubectl failed without output");
}

/// Some builds of kubectl say no more than that.
#[test]
fn shows_log_lines_if_there_is_nothing_else() {
    let kustomize = "E1126 13:33:13.057904    3494 run.go:72] \"command failed\" err=\"unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '/tmp'\"";
    assert_eq!(
        message(kustomize),
        "unable to find one of 'kustomization.yaml', 'kustomization.yml' or 'Kustomization' in directory '/tmp'"
    );
    let refused = "I1126 13:32:47.294258    2500 loader.go:1] \"Config loaded\"
E1126 13:32:47.294258    2500 memcache.go:265] \"Unhandled Error\" err=\"couldn't get current server API group list: Get \\\"https://127.0.0.1:1/api?timeout=32s\\\": dial tcp 127.0.0.1:1: connect: connection refused\"
E1126 13:32:47.298258    2500 memcache.go:265] \"Unhandled Error\" err=\"couldn't get current server API group list: Get \\\"https://127.0.0.1:1/api?timeout=32s\\\": dial tcp 127.0.0.1:1: connect: connection refused\"";
    let error = explain(refused);
    assert_eq!(
        message(refused),
        "Get \"https://127.0.0.1:1/api?timeout=32s\": dial tcp 127.0.0.1:1: connect: connection refused"
    );
    assert!(
        error.hints()[0].contains("cluster-info"),
        "{:?}",
        error.hints()
    );
    let block = "E1126 13:32:51.925989    2717 run.go:72] \"command failed\" err=<
\tone
\ttwo
 >
F1126 13:32:51.925989    2717 main.go:1] three";
    assert_eq!(message(block), "one\ntwo\nthree");
}

#[test]
fn a_kubectl_that_says_a_lot_is_cut_short() {
    let stderr: String = (0..100_000).map(|n| format!("line {n}\n")).collect();
    let message = explain(&stderr).chain().next().expect("a message");
    assert!(message.starts_with("line 0\n"));
    assert!(
        message.ends_with("\nline 99\n… and 99900 more lines"),
        "{message}"
    );
}
