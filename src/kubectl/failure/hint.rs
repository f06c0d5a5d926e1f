//! The way out of a failure. It is chosen by the reason that the API server gave, or by how kubectl begins a sentence:
//! what objects, policies and programs of others say decides nothing.

use crate::error::Code;

/// The code of a failure, and what to do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WayOut(pub(super) Code, pub(super) &'static str);

pub(super) const CONTEXTS: WayOut = WayOut(
    Code::NoCluster,
    "list the contexts with `kubectl config get-contexts` and choose one with `--context`",
);

const NO_CLUSTER: WayOut = WayOut(
    Code::NoCluster,
    "choose a cluster with `--kubeconfig` and `--context`, or with `kubectl config use-context`",
);

const KUBECONFIG: WayOut = WayOut(
    Code::InvalidKubeconfig,
    "fix the kubeconfig, or use another one with `--kubeconfig`",
);

const UNREACHABLE: WayOut = WayOut(
    Code::ClusterUnreachable,
    "check that the cluster is running and reachable (`kubectl cluster-info`), or use another \
    context with `--context`",
);

const CREDENTIALS: WayOut = WayOut(
    Code::Unauthorized,
    "the cluster rejects your credentials: log in again, or use another context with `--context`",
);

const PERMISSION: WayOut = WayOut(
    Code::Forbidden,
    "ask a cluster administrator for this permission, or use another context with `--context`",
);

const KIND: WayOut = WayOut(
    Code::KindNotServed,
    "the cluster does not serve this kind: install its CRD, or remove the component that needs it from \
        config/default/kustomization.yaml",
);

const INVALID: WayOut = WayOut(
    Code::ObjectRejected,
    "fix the source (types in `api/`, manifests in `config/`) and run the command again",
);

const DENIED: WayOut = WayOut(
    Code::DeniedByPolicy,
    "a policy or webhook of the cluster denies the object: change it accordingly, or ask a \
    cluster administrator",
);

const BUSY: WayOut = WayOut(
    Code::ClusterBusy,
    "the API server is not available: run the command again later",
);

const OLD: WayOut = WayOut(
    Code::KubectlOutdated,
    "this kubectl is too old: install a current release, or set $KUBECTL to another kubectl",
);

/// How the API server begins what it says of a webhook that it cannot call.
const WEBHOOK: &str = "Internal error occurred: failed calling webhook \"";

/// How kubectl begins what it says of itself, of its configuration and of the cluster, and what to do then.
const BEGINNINGS: [(&str, WayOut); 23] = [
    ("cannot locate context", CONTEXTS),
    ("context \"", CONTEXTS),
    ("no context exists", CONTEXTS),
    ("current-context must exist", NO_CLUSTER),
    ("no configuration has been provided", NO_CLUSTER),
    ("invalid configuration: no configuration", NO_CLUSTER),
    (
        "The connection to the server localhost:8080 was refused",
        NO_CLUSTER,
    ),
    ("error loading config file", KUBECONFIG),
    ("invalid configuration: ", KUBECONFIG),
    ("unable to read certificate-authority", KUBECONFIG),
    ("unable to read client-", KUBECONFIG),
    ("tls: failed to find any PEM data", KUBECONFIG),
    (
        "exec plugin: invalid apiVersion",
        WayOut(
            Code::InvalidKubeconfig,
            "update the credential plugin of the kubeconfig, and recreate the kubeconfig with it",
        ),
    ),
    ("You must be logged in to the server", CREDENTIALS),
    (
        "the server has asked for the client to provide credentials",
        CREDENTIALS,
    ),
    ("resource mapping not found", KIND),
    ("no matches for kind", KIND),
    ("unable to recognize ", KIND),
    ("the server doesn't have a resource type", KIND),
    (
        "Apply failed with",
        WayOut(
            Code::FieldConflict,
            "another field manager owns these fields: take them over with `--force-conflicts`, or remove them \
                from the manifests",
        ),
    ),
    ("unknown flag: ", OLD),
    ("unknown shorthand flag: ", OLD),
    ("unknown command ", OLD),
];

/// Why there is no connection, in the words of Go's network, and what to do then. The first that fits is taken.
const CAUSES: [(&str, WayOut); 9] = [
    (
        "exec: executable ",
        WayOut(
            Code::Unauthorized,
            "this is the credential plugin of the kubeconfig: install it or log in with it, then \
            try `kubectl get nodes`",
        ),
    ),
    (
        "exec plugin cannot support interactive mode",
        WayOut(
            Code::Unauthorized,
            "the credential plugin needs a terminal: log in with it first, then try `kubectl get \
            nodes`",
        ),
    ),
    (
        "exec plugin",
        WayOut(
            Code::InvalidKubeconfig,
            "the credential plugin does not match the kubeconfig: update the plugin, and recreate \
            the kubeconfig with it",
        ),
    ),
    ("getting credentials: ", CREDENTIALS),
    (
        "certificate signed by unknown authority",
        WayOut(
            Code::ClusterUnreachable,
            "the kubeconfig trusts a different CA: download the kubeconfig of the cluster again",
        ),
    ),
    (
        "certificate has expired or is not yet valid",
        WayOut(
            Code::ClusterUnreachable,
            "renew the certificate of the API server, or set the clock of this machine",
        ),
    ),
    (
        "x509: certificate is ",
        WayOut(
            Code::ClusterUnreachable,
            "the certificate is for other names: use one of them as `server` in the kubeconfig, \
            or set `tls-server-name`",
        ),
    ),
    (
        "server gave HTTP response to HTTPS client",
        WayOut(
            Code::ClusterUnreachable,
            "the server does not use TLS: check `server` in the kubeconfig",
        ),
    ),
    (
        "proxyconnect",
        WayOut(
            Code::ClusterUnreachable,
            "check the proxy in `HTTPS_PROXY` and `NO_PROXY`, or `proxy-url` in the kubeconfig",
        ),
    ),
];

/// What to do about a failure that one line of kubectl tells.
pub(super) fn of(line: &str) -> Option<WayOut> {
    if let Some(answer) = line.strip_prefix("Error from server (") {
        let (reason, message) = answer.split_once("): ")?;
        return of_reason(reason, message);
    }
    if let Some(message) = line.strip_prefix("Error from server: ") {
        return of_reason("", message);
    }
    if let Some((_, message)) = line
        .strip_prefix("The ")
        .and_then(|object| object.split_once("\" is invalid: "))
    {
        return of_reason("Invalid", message);
    }
    let beginning = BEGINNINGS.iter().find(|(text, _)| line.starts_with(text));
    match beginning {
        Some((_, way_out)) => Some(*way_out),
        None => of_connection(line),
    }
}

/// By the reason of the status that the API server gave.
fn of_reason(reason: &str, message: &str) -> Option<WayOut> {
    if is_denied(message) {
        return Some(DENIED);
    }
    match reason {
        "Forbidden" => of_refusal(message),
        "Unauthorized" => Some(CREDENTIALS),
        "Invalid" | "BadRequest" => Some(match message {
            "the server rejected our request for an unknown reason" => WayOut(
                Code::ClusterUnreachable,
                "not an https API server: check `server` in the kubeconfig",
            ),
            _ => INVALID,
        }),
        "" if message.starts_with("failed to create typed patch object") => Some(INVALID),
        "Conflict" => Some(WayOut(
            Code::ClusterBusy,
            "the object changed meanwhile: run the command again",
        )),
        "InternalError" if message.starts_with(WEBHOOK) => Some(WayOut(
            Code::WebhookUnanswered,
            "a webhook of the cluster does not respond: check its pods, or delete its \
            configuration (`kubectl get \
            validatingwebhookconfigurations,mutatingwebhookconfigurations`)",
        )),
        "NotFound" if message.starts_with("namespaces \"") => Some(WayOut(
            Code::NamespaceMissing,
            "create the namespace, or use another one",
        )),
        "NotFound" if message.starts_with("the server could not find the requested resource") => {
            Some(KIND)
        }
        "InternalError" | "ServerTimeout" | "ServiceUnavailable" | "Timeout"
        | "TooManyRequests" => Some(BUSY),
        _ => None,
    }
}

/// Whether a webhook or a policy of the cluster said no.
fn is_denied(message: &str) -> bool {
    let message = message
        .split_once("is forbidden: ")
        .map_or(message, |(_, why)| why)
        .trim_start_matches([':', ' ']);
    message.starts_with("admission webhook \"")
        || message.starts_with("ValidatingAdmissionPolicy '")
}

/// Why something is forbidden: mostly for a permission that is missing.
fn of_refusal(message: &str) -> Option<WayOut> {
    let why = message
        .split_once("forbidden: ")
        .map_or(message, |(_, why)| why);
    if why.starts_with("User \"") || why == "unknown" {
        Some(PERMISSION)
    } else if why.starts_with("user \"") && why.contains("is attempting to grant RBAC permissions")
    {
        Some(WayOut(
            Code::Forbidden,
            "you can only grant permissions that you have: ask a cluster administrator to run \
            this command",
        ))
    } else if why.ends_with("because it is being terminated") {
        Some(WayOut(
            Code::Forbidden,
            "the object is being deleted: wait until it no longer exists, and run the command \
            again",
        ))
    } else if why.starts_with("violates PodSecurity") {
        Some(WayOut(
            Code::Forbidden,
            "the namespace enforces a Pod Security Standard: change the pod accordingly, or the \
            namespace's label `pod-security.kubernetes.io/enforce`",
        ))
    } else if why.starts_with("exceeded quota") {
        Some(WayOut(
            Code::Forbidden,
            "raise the ResourceQuota of the namespace, or request less",
        ))
    } else {
        None
    }
}

fn of_connection(line: &str) -> Option<WayOut> {
    let is_connection = [
        "Unable to connect to the server: ",
        "The connection to the server ",
        "Get \"",
    ]
    .iter()
    .any(|beginning| line.starts_with(beginning))
        || (line.starts_with("error validating \"")
            && line.contains("failed to download openapi: Get \""));
    if !is_connection {
        return None;
    }
    let cause = CAUSES.iter().find(|(text, _)| line.contains(text));
    Some(cause.map_or(UNREACHABLE, |(_, way_out)| *way_out))
}
