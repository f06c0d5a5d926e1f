//! A webhook as a marker declares it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::manifest::marker::{Argument, Diagnostic, key};
use crate::manifest::rbac::{self, Catalog, OwnKinds};
use crate::project::name::WebhookPath;
use crate::suggest;

/// Those of controller-gen (`pkg/webhook/parser.go` of `sigs.k8s.io/controller-tools`).
const KEYS: [&str; 18] = [
    "admissionReviewVersions",
    "failurePolicy",
    "groups",
    "matchPolicy",
    "mutating",
    "name",
    "path",
    "reinvocationPolicy",
    "resources",
    "serviceName",
    "serviceNamespace",
    "servicePort",
    "sideEffects",
    "timeoutSeconds",
    "url",
    "verbs",
    "versions",
    "webhookVersions",
];

/// How many seconds the API server waits: its own ten add up where a request meets several webhooks.
const TIMEOUT: u8 = 5;

/// A webhook.
#[derive(Debug, Default)]
pub(super) struct Declaration {
    mutating: bool,
    name: String,
    path: Option<String>,
    url: Option<String>,
    service: Option<String>,
    service_namespace: Option<String>,
    service_port: Option<u16>,
    groups: BTreeSet<String>,
    versions: BTreeSet<String>,
    operations: BTreeSet<&'static str>,
    resources: BTreeSet<String>,
    failure_policy: Option<&'static str>,
    match_policy: Option<&'static str>,
    side_effects: Option<&'static str>,
    reinvocation_policy: Option<&'static str>,
    timeout: Option<u8>,
    review_versions: Vec<String>,
    /// Whether it is about kinds that are not the project's.
    is_foreign: bool,
}

impl Declaration {
    /// Makes a webhook of the arguments of a marker.
    ///
    /// # Errors
    /// A key is unknown, missing or stands twice, or has a value that the API server would refuse
    /// (`pkg/apis/admissionregistration/validation` of `k8s.io/kubernetes`) or that names what does not exist.
    pub(super) fn new(
        arguments: Vec<Argument>,
        catalog: &Catalog,
        own_kinds: &OwnKinds,
    ) -> Result<Self, Vec<Diagnostic>> {
        let mut webhook = Self::default();
        let keys: BTreeSet<&str> = arguments.iter().map(|(key, _)| *key).collect();
        let mut diagnostics = key::read(arguments, &KEYS, |key, values| webhook.set(key, values));
        if diagnostics.is_empty() {
            diagnostics.extend(missing(&keys));
            diagnostics.extend(webhook.contradictions());
        }
        if diagnostics.is_empty() {
            diagnostics.extend(webhook.unknown(catalog, own_kinds));
        }
        if diagnostics.is_empty() {
            Ok(webhook)
        } else {
            Err(diagnostics)
        }
    }

    fn set(&mut self, key: &str, values: &[&str]) -> Result<(), Diagnostic> {
        let single = || key::single(key, values);
        let set = || values.iter().map(|&value| value.to_owned()).collect();
        match key {
            "mutating" => self.mutating = choice(key, single()?, &["true", "false"])? == "true",
            "name" => self.name = name(single()?)?,
            "path" => self.path = Some(path(single()?)?),
            "url" => self.url = Some(url(single()?)?),
            "serviceName" => self.service = Some(single()?.to_owned()),
            "serviceNamespace" => self.service_namespace = Some(single()?.to_owned()),
            "servicePort" => self.service_port = Some(number(key, single()?, 1, u16::MAX)?),
            "groups" => self.groups = values.iter().map(|&value| key::group(value)).collect(),
            "versions" => self.versions = set(),
            "resources" => self.resources = set(),
            "verbs" => self.operations = operations(values)?,
            "failurePolicy" => {
                self.failure_policy = Some(choice(key, single()?, &["Fail", "Ignore"])?);
            }
            "matchPolicy" => {
                self.match_policy = Some(choice(key, single()?, &["Equivalent", "Exact"])?);
            }
            // The API server takes no other.
            "sideEffects" => {
                self.side_effects = Some(choice(key, single()?, &["None", "NoneOnDryRun"])?);
            }
            "reinvocationPolicy" => {
                self.reinvocation_policy = Some(choice(key, single()?, &["Never", "IfNeeded"])?);
            }
            "timeoutSeconds" => self.timeout = Some(number(key, single()?, 1, 30)?),
            "admissionReviewVersions" => {
                with_v1(key, values)?;
                self.review_versions = values.iter().map(ToString::to_string).collect();
            }
            "webhookVersions" => with_v1(key, values)?,
            _ => return Err(key::unknown(key, meant(key), &KEYS)),
        }
        Ok(())
    }

    fn contradictions(&self) -> Vec<Diagnostic> {
        let mut diagnostics = Vec::new();
        if self.reinvocation_policy.is_some() && !self.mutating {
            diagnostics.push(
                Diagnostic::new("a validating webhook has no `reinvocationPolicy`")
                    .hint("remove it, or set `mutating=true`"),
            );
        }
        let has_service = self.service.is_some() || self.service_namespace.is_some();
        if self.url.is_some() && (self.path.is_some() || has_service) {
            diagnostics.push(
                Diagnostic::new("a webhook cannot have both `url` and `path`")
                    .hint("remove `url`: the operator's Service is `webhook-service`"),
            );
        }
        diagnostics
    }

    /// Groups, resources and versions that do not exist.
    fn unknown(&mut self, catalog: &Catalog, own_kinds: &OwnKinds) -> Vec<Diagnostic> {
        // All subresources may be meant at once, other than in a role.
        let name = |resource: &String| match resource.split_once('/') {
            Some((name, "*")) => name.to_owned(),
            _ => resource.clone(),
        };
        let resources = self.resources.iter().map(name).collect();
        let mut diagnostics = rbac::unknown(self.groups.clone(), resources, catalog);
        let is_own = |group: &String| own_kinds.kinds.iter().any(|own| own.group == *group);
        self.is_foreign = !self.groups.iter().all(is_own);
        if self.is_foreign {
            return diagnostics;
        }
        let kinds = own_kinds.kinds.iter().filter(|own| {
            let mut names = self.resources.iter().map(|name| name.split('/').next());
            let is_named = names.any(|name| name == Some("*") || name == Some(&*own.plural));
            self.groups.contains(&own.group) && is_named
        });
        let served: BTreeSet<&str> = kinds.map(|own| own.version.as_str()).collect();
        let is_unknown = |version: &&String| *version != "*" && !served.contains(version.as_str());
        if let Some(version) = self.versions.iter().find(is_unknown)
            && !served.is_empty()
        {
            let served: Vec<_> = served.into_iter().collect();
            diagnostics.push(
                Diagnostic::new(format!(
                    "the project has no version `{version}` of this kind"
                ))
                .hint(format!("use one of its versions: {}", served.join(", "))),
            );
        }
        diagnostics
    }

    /// The path that the operator serves it at.
    pub(super) fn path(&self) -> Option<&str> {
        self.path.as_deref()
    }

    /// Whether it changes objects.
    pub(super) fn is_mutating(&self) -> bool {
        self.mutating
    }

    /// What the API server calls it.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Whether both would have one name in one configuration.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.mutating == other.mutating && self.name == other.name
    }

    /// The webhook in a configuration, for an operator in this namespace.
    pub(super) fn to_value(&self, namespace: &str) -> Value {
        let mut value = json!({
            "name": self.name,
            "admissionReviewVersions": ["v1"],
            "clientConfig": self.client(),
            "failurePolicy": self.failure_policy.unwrap_or("Fail"),
            "matchPolicy": self.match_policy.unwrap_or("Equivalent"),
            "rules": [{
                "apiGroups": self.groups,
                "apiVersions": self.versions,
                "operations": self.operations,
                "resources": self.resources,
            }],
            "sideEffects": self.side_effects.unwrap_or("None"),
            "timeoutSeconds": self.timeout.unwrap_or(TIMEOUT),
        });
        if !self.review_versions.is_empty() {
            value["admissionReviewVersions"] = json!(self.review_versions);
        }
        if let Some(policy) = self.reinvocation_policy {
            value["reinvocationPolicy"] = json!(policy);
        }
        // An operator that is down must not keep itself, or the cluster's own parts, from starting.
        if self.is_foreign {
            value["namespaceSelector"] = json!({ "matchExpressions": [{
                "key": "kubernetes.io/metadata.name",
                "operator": "NotIn",
                "values": [namespace, "kube-system"],
            }]});
        }
        value
    }

    /// How the API server reaches it.
    fn client(&self) -> Value {
        if let Some(url) = &self.url {
            return json!({ "url": url });
        }
        let mut service = json!({
            "name": self.service.as_deref().unwrap_or("webhook-service"),
            "namespace": self.service_namespace.as_deref().unwrap_or("system"),
            "path": self.path,
        });
        if let Some(port) = self.service_port {
            service["port"] = json!(port);
        }
        json!({ "service": service })
    }
}

/// Keys that have to be there.
fn missing(keys: &BTreeSet<&str>) -> Vec<Diagnostic> {
    let missing = |key: &str, hint: &str| {
        let diagnostic = Diagnostic::new(format!("`{key}` is missing")).hint(hint);
        (!keys.contains(key)).then_some(diagnostic)
    };
    let path = (!keys.contains("url")).then_some(("path", "add the path that serves the webhook"));
    let needed = [
        (
            "groups",
            "add `groups=…`, which is `\"\"` for the core group",
        ),
        ("mutating", "add `mutating=true` or `mutating=false`"),
        ("name", "add `name=…`, as in `vappservice-v1.kb.io`"),
        ("resources", "add `resources=…`"),
        ("verbs", "add `verbs=create;update`"),
        ("versions", "add `versions=v1`"),
    ];
    needed
        .into_iter()
        .chain(path)
        .filter_map(|(key, hint)| missing(key, hint))
        .collect()
}

/// The key that a field of the API has here.
fn meant(key: &str) -> Option<&'static str> {
    match key {
        "apiGroups" => Some("groups"),
        "apiVersions" => Some("versions"),
        "operations" => Some("verbs"),
        _ => None,
    }
}

/// The value of `among` that is meant, whatever its case: controller-gen's are in lower case.
fn choice(key: &str, value: &str, among: &[&'static str]) -> Result<&'static str, Diagnostic> {
    let mut found = among
        .iter()
        .filter(|allowed| allowed.eq_ignore_ascii_case(value));
    found.next().copied().ok_or_else(|| {
        let meant = suggest::nearest(value, among.iter().copied());
        let hint = match meant {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => format!("valid values are {}", among.join(" or ")),
        };
        Diagnostic::new(format!("`{key}` cannot be `{value}`")).hint(hint)
    })
}

fn operations(values: &[&str]) -> Result<BTreeSet<&'static str>, Diagnostic> {
    const ALL: [&str; 5] = ["CREATE", "UPDATE", "DELETE", "CONNECT", "*"];
    let operations = values.iter().map(|value| choice("verbs", value, &ALL));
    operations.collect()
}

fn number<N>(key: &str, value: &str, least: N, most: N) -> Result<N, Diagnostic>
where
    N: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let number = value
        .parse()
        .ok()
        .filter(|number| (&least..=&most).contains(&number));
    number.ok_or_else(|| {
        Diagnostic::new(format!("`{key}` cannot be `{value}`"))
            .hint(format!("expected a number from {least} to {most}"))
    })
}

/// `v1` has to be among the values.
fn with_v1(key: &str, values: &[&str]) -> Result<(), Diagnostic> {
    if values.contains(&"v1") {
        Ok(())
    } else {
        Err(Diagnostic::new(format!("`{key}` lacks `v1`"))
            .hint("Kubernetes 1.22 removed older versions"))
    }
}

/// A name of a webhook is a DNS-1123 subdomain of three labels at least (`IsFullyQualifiedName` in
/// `k8s.io/apimachinery`).
fn name(name: &str) -> Result<String, Diagnostic> {
    if name.len() <= 253 && name.split('.').count() >= 3 && name.split('.').all(is_label) {
        return Ok(name.to_owned());
    }
    Err(
        Diagnostic::new(format!("`{name}` is not a valid webhook name")).hint(
            "expected three or more labels separated by dots, each of lowercase letters, digits \
                and `-`, such as `vappservice-v1.kb.io`",
        ),
    )
}

fn path(path: &str) -> Result<String, Diagnostic> {
    if path.parse::<WebhookPath>().is_ok() {
        return Ok(path.to_owned());
    }
    Err(
        Diagnostic::new(format!("`{path}` is not a valid webhook path")).hint(
            "expected a path that starts with `/`, with segments of lowercase letters, digits \
                and `-`",
        ),
    )
}

fn url(url: &str) -> Result<String, Diagnostic> {
    match url.strip_prefix("https://") {
        Some(rest) if !rest.is_empty() && !rest.contains(['?', '#', '@']) => Ok(url.to_owned()),
        _ => Err(
            Diagnostic::new(format!("`{url}` is not a valid webhook URL")).hint(
                "expected a URL that starts with `https://`, without user, query or fragment",
            ),
        ),
    }
}

fn is_label(label: &str) -> bool {
    let inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    !label.is_empty()
        && label.chars().all(inner)
        && !label.starts_with('-')
        && !label.ends_with('-')
}
