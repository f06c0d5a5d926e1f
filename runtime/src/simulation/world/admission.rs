//! Calls the admission and conversion webhooks of the operator in any replica that the API server
//! reaches.

use std::sync::Arc;

use serde_json::Value;

use super::World;
use crate::simulation::fault::Fault;
use crate::simulation::process::{Process, Unanswered};
use crate::simulation::target::text;
use crate::testing::api_server::{operations, patched};

impl World {
    /// Lets replicas handle the webhooks that the API server calls.
    pub(in crate::simulation) fn serve_webhooks(&self) {
        let crds = "customresourcedefinitions";
        let crds = self.server().objects("apiextensions.k8s.io", crds, "");
        let fixed = crds
            .iter()
            .filter(|crd| crd["spec"].to_string().contains("oldSelf"));
        self.state().fixed = fixed.map(|crd| text(crd, "name").to_owned()).collect();
        // The world owns the server.
        let world = Arc::downgrade(&self.0);
        self.server().webhooks(move |path, review| {
            let world = world.upgrade().ok_or("the world has ended")?;
            Self(world).webhook(path, review)
        });
    }

    /// Records that a replica has started.
    pub(in crate::simulation) fn joined(&self, process: &Process) {
        let processes = &mut self.state().processes;
        processes.retain(|process| !process.is_dead());
        processes.push(process.clone());
    }

    fn webhook(&self, path: &str, review: &Value) -> Result<Value, String> {
        let process = {
            let mut state = self.state();
            if state.fates.has(Fault::WebhookFailed, 0.3) {
                drop(state);
                self.fault(Fault::WebhookFailed, path);
                return Err("context deadline exceeded".to_owned());
            }
            let serving: Vec<_> = state
                .processes
                .iter()
                .filter(|process| process.serves_webhooks())
                .cloned()
                .collect();
            match serving.len() {
                0 => return Err("no endpoints available for service".to_owned()),
                count => serving[state.fates.rng.usize(..count)].clone(),
            }
        };
        if !process.is_running() {
            return Err("context deadline exceeded".to_owned());
        }
        let answer = process.webhook(path, review).map_err(|why| {
            if let Unanswered::Refused(why) = &why {
                let message = format!("{why}: simulate the `register` that `main.rs` calls");
                self.broken("webhooks are served", None, message);
            }
            why.to_string()
        })?;
        if review["kind"] == "ConversionReview" {
            self.check_conversion(review, &answer);
        } else {
            self.check_webhook(&process, path, review, &answer);
            self.check_update(&process, path, review, &answer);
        }
        Ok(answer)
    }

    /// A conversion must not fail: it would break lists and watches.
    fn check_conversion(&self, review: &Value, answer: &Value) {
        let result = &answer["response"]["result"];
        if result["status"] != "Success" {
            let name = review["request"]["objects"][0]["metadata"]["name"].as_str();
            let message = result["message"].to_string();
            self.broken("every object is converted", name, message);
        }
    }

    /// What a webhook refuses for its spec when an object is created, it must refuse in an update too. Not what depends
    /// on other objects, nor what cannot be changed by a rule of the CRD, so that no update needs a check.
    fn check_update(&self, process: &Process, path: &str, review: &Value, answer: &Value) {
        let (request, response) = (&review["request"], &answer["response"]);
        if response["allowed"] == true {
            if request["object"].is_object() {
                let object = request["object"].clone();
                self.state().admitted.insert(path.to_owned(), object);
            }
            return;
        }
        let causes = response["status"]["details"]["causes"].as_array();
        let mut fields = causes.into_iter().flatten();
        let is_of_spec = fields.any(|cause| {
            let field = cause["field"].as_str().unwrap_or_default();
            field.starts_with("spec") && cause["reason"] != "FieldValueDuplicate"
        });
        let [group, plural] = ["group", "resource"]
            .map(|field| request["resource"][field].as_str().unwrap_or_default());
        let admitted = {
            let state = self.state();
            let is_fixed = state.fixed.contains(&format!("{plural}.{group}"));
            state.admitted.get(path).filter(|_| !is_fixed).cloned()
        };
        let Some(mut old) = admitted.filter(|_| is_of_spec && request["operation"] == "CREATE")
        else {
            return;
        };
        // The object that is to be created, with a spec that was admitted.
        old["metadata"] = request["object"]["metadata"].clone();
        let mut update = review.clone();
        update["request"]["operation"] = "UPDATE".into();
        update["request"]["oldObject"] = old;
        let updated = process.webhook(path, &update).unwrap_or_default();
        if updated["response"]["allowed"] == true {
            let why = &response["status"]["message"];
            let message = format!(
                "{path} refuses a new object, but allows an update to the same spec: {why}"
            );
            let name = request["object"]["metadata"]["name"].as_str();
            self.broken(
                "what is refused on create is refused on update",
                name,
                message,
            );
        }
    }

    /// A webhook must respond, and must not change its own result: it may be called again.
    fn check_webhook(&self, process: &Process, path: &str, review: &Value, answer: &Value) {
        let response = &answer["response"];
        let about = review["request"]["name"].as_str();
        if response["status"]["code"] == 500 {
            let message = response["status"]["message"].to_string();
            self.broken("no webhook panics", about, message);
        }
        let Some(changed) = changed(&review["request"]["object"], &response["patch"]) else {
            return;
        };
        let mut again = review.clone();
        again["request"]["object"] = changed;
        let second = process.webhook(path, &again).unwrap_or_default();
        if let Ok(more) = operations(&second["response"]["patch"]) {
            let message = format!(
                "{path} changes its own result if called again: {}",
                Value::from(more)
            );
            self.broken("webhooks are idempotent", about, message);
        }
    }
}

/// The object that a webhook returns, if it changes it.
fn changed(object: &Value, patch: &Value) -> Option<Value> {
    patched(object, &operations(patch).ok()?).ok()
}
