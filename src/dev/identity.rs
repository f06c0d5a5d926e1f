//! Who the operator is in the cluster that it would be deployed in.

use std::collections::BTreeSet;
use std::ffi::OsString;

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::manager::container_index;
use crate::objects::Objects;

/// Flags of the library that are about the pod: its ports, its certificates, other replicas. Each stands for all that
/// begin with it.
const OF_THE_POD: [&str; 5] = [
    "--health-probe-bind-address",
    "--leader-elect",
    "--metrics-",
    "--webhook-cert-",
    "--webhook-port",
];

/// Flags that have a value only behind `=`.
const SWITCHES: [&str; 2] = ["--leader-elect", "--metrics-secure"];

/// The service account of the operator, and what it is told.
#[derive(Debug, PartialEq)]
pub(super) struct Identity {
    pub(super) namespace: String,
    pub(super) service_account: String,
    /// Without those that are about its pod.
    pub(super) arguments: Vec<String>,
    pub(super) environment: Vec<(String, String)>,
}

impl Identity {
    /// What the operator's Deployment says.
    pub(super) fn of(manifests: &Objects) -> Result<Self> {
        manifests.deployments().find_map(identity).ok_or_else(|| {
            Error::new(
                Code::NoOperatorDeployment,
                "config/default needs a Deployment of the \
                    operator with a namespace, a `serviceAccountName` and the operator's container",
            )
            .hint("`rop dev` runs the operator as that service account")
        })
    }
}

fn identity(deployment: &Value) -> Option<Identity> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let pod = &deployment["spec"]["template"]["spec"];
    let namespace = text(&deployment["metadata"]["namespace"])?;
    let container = &pod["containers"][container_index(deployment)?];
    let mut environment = Vec::new();
    for variable in container["env"].as_array().into_iter().flatten() {
        let is_namespace = variable["valueFrom"]["fieldRef"]["fieldPath"] == "metadata.namespace";
        let value = if is_namespace {
            Some(namespace.clone())
        } else {
            text(&variable["value"]).map(|value| expand(&value, &environment))
        };
        environment.extend(text(&variable["name"]).zip(value));
    }
    // The first word of a command is the program.
    let words = |field: &str, program| {
        let words = container[field].as_array().into_iter().flatten();
        words.filter_map(Value::as_str).skip(program)
    };
    let arguments = words("command", 1)
        .chain(words("args", 0))
        .map(|argument| expand(argument, &environment));
    Some(Identity {
        service_account: text(&pod["serviceAccountName"])?,
        arguments: without(arguments.collect(), |argument| {
            OF_THE_POD.iter().any(|flag| argument.starts_with(flag))
        }),
        environment,
        namespace,
    })
}

/// A text with the variables in it, written as `$(NAME)`.
fn expand(text: &str, environment: &[(String, String)]) -> String {
    environment
        .iter()
        .fold(text.to_owned(), |text, (name, value)| {
            text.replace(&format!("$({name})"), value)
        })
}

impl Identity {
    /// Its arguments without the flags that are among others.
    pub(super) fn arguments_beside(&self, others: &[OsString]) -> Vec<String> {
        let others: BTreeSet<_> = others
            .iter()
            .filter_map(|argument| argument.to_str())
            .map(name)
            .collect();
        without(self.arguments.clone(), |argument| {
            argument.starts_with('-') && others.contains(name(argument))
        })
    }
}

/// The flag of an argument, without its value.
fn name(argument: &str) -> &str {
    argument.split_once('=').map_or(argument, |(name, _)| name)
}

/// Arguments without some flags and their values.
fn without(arguments: Vec<String>, is_left_out: impl Fn(&str) -> bool) -> Vec<String> {
    let mut arguments = arguments.into_iter().peekable();
    let mut left = Vec::new();
    while let Some(argument) = arguments.next() {
        if !is_left_out(&argument) {
            left.push(argument);
        } else if !argument.contains('=') && !SWITCHES.contains(&&*argument) {
            arguments.next_if(|value| !value.starts_with('-'));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFESTS: &str = "
kind: Deployment
metadata:
  name: other
  namespace: app-system
spec: {template: {spec: {serviceAccountName: other}}}
---
kind: Deployment
metadata:
  namespace: app-system
  labels: {control-plane: controller-manager}
spec:
  template:
    metadata:
      annotations: {kubectl.kubernetes.io/default-container: operator}
    spec:
      serviceAccountName: app
      containers:
      - name: proxy
        env:
        - {name: LEVEL, value: low}
      - name: operator
        args: [--leader-elect, --metrics-bind-address, ':8443', --dns-url=http://$(LEVEL), --zone, a]
        env:
        - {name: WATCH_NAMESPACE, valueFrom: {fieldRef: {fieldPath: metadata.namespace}}}
        - {name: LEVEL, value: high}
        - {name: SECRET, valueFrom: {secretKeyRef: {name: a, key: b}}}
";

    #[test]
    fn the_deployment_tells_who_the_operator_is() {
        let manifests = Objects::parse(MANIFESTS).expect("manifests");
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let expected = Identity {
            namespace: "app-system".to_owned(),
            service_account: "app".to_owned(),
            arguments: words(&["--dns-url=http://high", "--zone", "a"]),
            environment: vec![pair("WATCH_NAMESPACE", "app-system"), pair("LEVEL", "high")],
        };
        assert_eq!(Identity::of(&manifests).expect("an operator"), expected);
    }

    #[test]
    fn flags_of_the_command_line_come_first() {
        let identity =
            Identity::of(&Objects::parse(MANIFESTS).expect("manifests")).expect("an operator");
        let others = ["--zone=b", "--other"].map(OsString::from);
        assert_eq!(
            identity.arguments_beside(&others),
            ["--dns-url=http://high"]
        );
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn there_has_to_be_an_operator() {
        let manifests = Objects::parse("kind: Deployment\n").expect("manifests");
        Identity::of(&manifests).expect_err("no operator");
    }
}
