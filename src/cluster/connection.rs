use std::time::Duration;

use serde_json::Value;

use crate::error::{Code, Result};
use crate::kubectl::{Kubectl, failure, json};

use super::local;
use super::version;

/// How long the first answer may take, with the program that credentials come from.
const PATIENCE: Duration = Duration::from_mins(1);

/// What a context leads to.
#[derive(Clone, Debug)]
pub struct Connection {
    /// The name of the context.
    pub context: String,
    /// The URL of the API server.
    pub server: String,
    /// The namespace that the context names.
    pub namespace: Option<String>,
}

impl Connection {
    /// What kubeconfig says of the context: nothing is asked of the cluster.
    ///
    /// # Errors
    /// No context is chosen, or there is no such context.
    pub fn read(kubectl: &Kubectl) -> Result<Self> {
        let view = kubectl
            .json(&["config", "view", "--minify", "-o", "json"], None)
            .map_err(failure::of_context)?;
        Self::of_view(&view)
            .ok_or_else(|| failure::no_cluster("the kubeconfig has no context with a cluster"))
    }

    fn of_view(view: &Value) -> Option<Self> {
        let context = &view["contexts"][0];
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Some(Self {
            context: text(&context["name"])?,
            server: text(&view["clusters"][0]["cluster"]["server"])?,
            namespace: text(&context["context"]["namespace"]),
        })
    }

    /// Asks whether the API server answers at all.
    ///
    /// # Errors
    /// It does not.
    pub fn greet(&self, kubectl: &Kubectl) -> Result<()> {
        self.ask(kubectl, PATIENCE).map(drop)
    }

    /// The same, for what runs generated operators.
    ///
    /// # Errors
    /// It does not answer, or is older than generated operators are made for.
    pub fn check(&self, kubectl: &Kubectl) -> Result<()> {
        version::check(&self.ask(kubectl, PATIENCE)?)
    }

    /// The version of the API server, such as `v1.37.0`. It may take as long as `patience`.
    ///
    /// # Errors
    /// As [`Self::check`].
    pub fn version(&self, kubectl: &Kubectl, patience: Duration) -> Result<String> {
        let answer = self.ask(kubectl, patience)?;
        version::check(&answer)?;
        let version = answer["serverVersion"]["gitVersion"].as_str();
        Ok(version.unwrap_or("of unknown version").to_owned())
    }

    fn ask(&self, kubectl: &Kubectl, patience: Duration) -> Result<Value> {
        let timeout = format!("--request-timeout={}s", patience.as_secs().min(15));
        let arguments = ["version", "-o", "json", &timeout];
        let answer = kubectl.text_within(&arguments, patience).map_err(|e| {
            let (context, server) = (&self.context, &self.server);
            let code = match e.code() {
                Code::KubectlFailed => Code::ClusterUnreachable,
                known => known,
            };
            let has_hint = !e.hints().is_empty();
            let error = e.with_code(code).context(format!(
                "no response from the cluster of context `{context}` ({server})"
            ));
            if has_hint {
                error
            } else {
                error.hint(
                    "check it with `kubectl cluster-info`, or use another context with `--context`",
                )
            }
        })?;
        json(&answer)
    }

    /// Whether it is a cluster of somebody's own machine. Any other may be in production.
    pub fn is_local(&self) -> bool {
        local::is_local(&self.context, &self.server)
    }
}
