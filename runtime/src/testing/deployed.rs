//! Reads the arguments and environment of a deployed operator, for a test that starts it elsewhere.

use serde_json::Value;

/// The annotation with the name of the default container.
const DEFAULT_CONTAINER: &str = "kubectl.kubernetes.io/default-container";

/// The prefixes of flags of this library that depend on the pod: ports, certificates, other replicas.
const OF_THE_POD: [&str; 5] = [
    "--health-probe-bind-address",
    "--leader-elect",
    "--metrics-",
    "--webhook-cert-",
    "--webhook-port",
];

/// Flags whose value can only follow `=`.
const SWITCHES: [&str; 2] = ["--leader-elect", "--metrics-secure"];

/// The arguments and the environment of an operator in its Deployment, for a test that starts it as a local process.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(super) struct Deployed {
    /// Its arguments, without flags of this library that depend on the pod: ports, certificates, the election.
    pub(super) arguments: Vec<String>,
    /// Its variables with a value, and those with its namespace.
    pub(super) environment: Vec<(String, String)>,
    /// Its variables with a value from elsewhere, such as a Secret.
    pub(super) unknown: Vec<String>,
}

impl Deployed {
    /// Reads a Deployment: the default container of its pod, or the only one. `None` if there is neither.
    pub(super) fn of(deployment: &Value) -> Option<Self> {
        let index = container_index(deployment)?;
        let container = &deployment["spec"]["template"]["spec"]["containers"][index];
        let mut deployed = Self::default();
        for variable in container["env"].as_array().into_iter().flatten() {
            let name = variable["name"].as_str().unwrap_or_default().to_owned();
            let field = &variable["valueFrom"]["fieldRef"]["fieldPath"];
            let value = match field.as_str() {
                Some("metadata.namespace") => &deployment["metadata"]["namespace"],
                _ if variable["valueFrom"].is_object() => &Value::Null,
                // A variable without a value is empty.
                _ => variable
                    .get("value")
                    .unwrap_or(const { &Value::String(String::new()) }),
            };
            match value.as_str() {
                Some(value) => {
                    let value = deployed.expand(value);
                    deployed.environment.push((name, value));
                }
                None => deployed.unknown.push(name),
            }
        }
        // The first word of `command` is the program.
        let words = |field: &str, program| {
            let words = container[field].as_array().into_iter().flatten();
            words.filter_map(Value::as_str).skip(program)
        };
        let arguments = words("command", 1)
            .chain(words("args", 0))
            .map(|argument| deployed.expand(argument));
        deployed.arguments = without_pod(arguments.collect());
        Some(deployed)
    }

    /// Expands the known variables in a text, written as `$(NAME)`.
    fn expand(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (name, value) in &self.environment {
            text = text.replace(&format!("$({name})"), value);
        }
        text
    }
}

/// Finds the operator in the pod of its Deployment: the default container, or the only one.
pub(super) fn container_index(deployment: &Value) -> Option<usize> {
    let template = &deployment["spec"]["template"];
    let default = &template["metadata"]["annotations"][DEFAULT_CONTAINER];
    let containers = template["spec"]["containers"].as_array()?;
    match (default, &containers[..]) {
        (Value::Null, [_]) => Some(0),
        (name, containers) => containers.iter().position(|it| it["name"] == *name),
    }
}

/// The arguments that do not depend on the pod.
fn without_pod(arguments: Vec<String>) -> Vec<String> {
    let mut arguments = arguments.into_iter().peekable();
    let mut left = Vec::new();
    while let Some(argument) = arguments.next() {
        if !OF_THE_POD.iter().any(|flag| argument.starts_with(flag)) {
            left.push(argument);
        } else if !argument.contains('=') && !SWITCHES.contains(&&*argument) {
            arguments.next_if(|value| !value.starts_with('-'));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn deployment(pod: Value) -> Value {
        json!({
            "metadata": { "namespace": "app-system" },
            "spec": { "template": {
                "metadata": { "annotations": { DEFAULT_CONTAINER: "manager" } },
                "spec": pod,
            } },
        })
    }

    #[test]
    fn flags_of_the_pod_are_left_out() {
        let arguments = [
            "--leader-elect",
            "--leader-elect-lease-duration",
            "60s",
            "--health-probe-bind-address=:8081",
            "--metrics-bind-address",
            ":8443",
            "--metrics-secure",
            "--webhook-port=9443",
            "--webhook-secret-name=cert",
            "--watch-namespace=shop",
            "--dns-url",
            "http://dns",
        ];
        let pod = json!({ "containers": [
            { "name": "other", "args": ["--other"] },
            { "name": "manager", "command": ["/manager", "run"], "args": arguments },
        ] });
        let deployed = Deployed::of(&deployment(pod)).unwrap();
        let left = [
            "run",
            "--webhook-secret-name=cert",
            "--watch-namespace=shop",
            "--dns-url",
            "http://dns",
        ];
        assert_eq!(deployed.arguments, left);
    }

    #[test]
    fn variables_have_the_values_that_are_known() {
        let pod = json!({ "containers": [{ "name": "manager", "args": ["--in=$(NAMESPACE)"], "env": [
            { "name": "NAMESPACE", "valueFrom": { "fieldRef": { "fieldPath": "metadata.namespace" } } },
            { "name": "NODE", "valueFrom": { "fieldRef": { "fieldPath": "spec.nodeName" } } },
            { "name": "PASSWORD", "valueFrom": { "secretKeyRef": { "name": "a", "key": "b" } } },
            { "name": "URL", "value": "http://$(NAMESPACE)/$(PASSWORD)" },
            { "name": "EMPTY" },
        ] }] });
        let deployed = Deployed::of(&deployment(pod)).unwrap();
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let known = [
            pair("NAMESPACE", "app-system"),
            pair("URL", "http://app-system/$(PASSWORD)"),
            pair("EMPTY", ""),
        ];
        assert_eq!(deployed.environment, known);
        assert_eq!(deployed.unknown, ["NODE", "PASSWORD"]);
        assert_eq!(deployed.arguments, ["--in=app-system"]);
    }

    #[test]
    fn there_must_be_a_container_of_the_operator() {
        assert_eq!(Deployed::of(&json!({})), None);
        let other = deployment(json!({ "containers": [{ "name": "other" }] }));
        assert_eq!(Deployed::of(&other), None);
    }
}
