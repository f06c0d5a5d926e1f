//! Admission by the webhooks of the configurations on the server.

mod rule;
#[cfg(test)]
mod tests;
mod verdict;
mod webhook;

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::decoded::admitted;
use super::failure::Failure;
use super::json_patch;
use super::resource::Resource;
use super::state::State;
use super::store::key;
use super::user::User;
use verdict::Verdict;
use webhook::{Sort, Webhook};

/// A request for admission.
#[derive(Clone, Copy)]
pub(super) struct Event<'a> {
    pub(super) user: &'a User,
    pub(super) operation: &'static str,
    pub(super) resource: &'a Arc<Resource>,
    pub(super) subresource: &'a str,
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
    pub(super) is_dry_run: bool,
}

impl State {
    /// Lets the mutating webhooks change an object before it is written. Returns whether one did.
    ///
    /// # Errors
    /// If a webhook denies it, or fails and its failure policy is `Fail`.
    pub(super) fn mutate(
        &mut self,
        event: &Event,
        object: &mut Value,
        old: &Value,
    ) -> Result<bool, Failure> {
        let mut is_patched = false;
        for (webhook, wanted) in self.webhooks(Sort::Mutating, event, object, old) {
            let verdict = self.called(&webhook, event, &wanted, object, old)?;
            let patch = webhook.admits(verdict)?;
            if !patch.is_empty() {
                *object = self.patched(event, &wanted, object, &patch)?;
                is_patched = true;
            }
        }
        Ok(is_patched)
    }

    /// Calls the validating webhooks. `object` is null for a deletion, and `old` for a creation.
    ///
    /// # Errors
    /// If a webhook denies it, or fails and its failure policy is `Fail`.
    pub(super) fn validate(
        &mut self,
        event: &Event,
        object: &Value,
        old: &Value,
    ) -> Result<(), Failure> {
        for (webhook, wanted) in self.webhooks(Sort::Validating, event, object, old) {
            let verdict = self.called(&webhook, event, &wanted, object, old)?;
            webhook.admits(verdict)?;
        }
        Ok(())
    }

    /// Calls all webhooks for the deletion of an object.
    ///
    /// # Errors
    /// If a webhook denies it, or fails and its failure policy is `Fail`.
    pub(super) fn admit_deletion(&mut self, event: &Event, old: &Value) -> Result<(), Failure> {
        let old = self.to(event.resource, old)?;
        for sort in [Sort::Mutating, Sort::Validating] {
            for (webhook, wanted) in self.webhooks(sort, event, &Value::Null, &old) {
                let verdict = self.called(&webhook, event, &wanted, &Value::Null, &old)?;
                if !webhook.admits(verdict)?.is_empty() {
                    return Err(webhook.modified_during_deletion());
                }
            }
        }
        Ok(())
    }

    /// The matching webhooks in the order of their calls, each with its version of the object.
    fn webhooks(
        &self,
        sort: Sort,
        event: &Event,
        object: &Value,
        old: &Value,
    ) -> Vec<(Webhook, Arc<Resource>)> {
        // Configurations of webhooks are not subject to webhooks: otherwise a broken one could not be corrected.
        if event.subresource == "scale" || event.resource.group == "admissionregistration.k8s.io" {
            return Vec::new();
        }
        let namespace = self.labels_of_namespace(event, object, old);
        let is_meant = |webhook: &Webhook| {
            webhook.selects([object, old])
                && namespace.is_none_or(|labelled| webhook.selects_namespace(labelled))
        };
        let configurations = self.store.list(sort.storage(), "");
        let all = configurations.flat_map(|(_, configuration)| Webhook::all_of(configuration));
        let meant = all.filter(is_meant).filter_map(|webhook| {
            let wanted = self.version_for(&webhook, event)?;
            Some((webhook, wanted))
        });
        meant.collect()
    }

    /// The object whose labels the namespace selector of a webhook matches. `None` without a namespace.
    fn labels_of_namespace<'a>(
        &'a self,
        event: &Event,
        object: &'a Value,
        old: &'a Value,
    ) -> Option<&'a Value> {
        if event.resource.is_builtin && event.resource.plural == "namespaces" {
            return Some(if object.is_null() { old } else { object });
        }
        let namespace = Some(event.namespace).filter(|name| !name.is_empty())?;
        let namespace = self.store.get("namespaces", &key("", namespace));
        Some(namespace.map_or(&Value::Null, |namespace| namespace))
    }

    /// The version in which a webhook gets an object. `None` if its rules do not match.
    fn version_for(&self, webhook: &Webhook, event: &Event) -> Option<Arc<Resource>> {
        let wanted = |resource: &Resource| {
            let mut rules = webhook.rules.iter();
            rules.any(|rule| rule.matches(event.operation, resource, event.subresource))
        };
        if wanted(event.resource) {
            return Some(Arc::clone(event.resource));
        }
        let mut others = self
            .resources
            .iter()
            .filter(|other| webhook.is_equivalent() && other.id() == event.resource.id());
        others.find(|other| wanted(other)).cloned()
    }

    fn called(
        &mut self,
        webhook: &Webhook,
        event: &Event,
        wanted: &Resource,
        object: &Value,
        old: &Value,
    ) -> Result<Verdict, Failure> {
        let uid = self.uid();
        let (object, old) = (self.seen(wanted, object)?, self.seen(wanted, old)?);
        let review = review(&uid, event, wanted, &object, &old);
        let answer = match &self.call {
            Some(call) => call(webhook.path(), &review),
            None => Err("no endpoints available for service".to_owned()),
        };
        Ok(Verdict::read(&uid, answer))
    }

    /// An object, or null, in the version of a webhook.
    fn seen<'a>(&self, wanted: &Resource, object: &'a Value) -> Result<Cow<'a, Value>, Failure> {
        match object {
            Value::Null => Ok(Cow::Borrowed(object)),
            object => self.to(wanted, object),
        }
    }

    /// The object after the patch of a webhook, which is for the version of the webhook.
    fn patched(
        &self,
        event: &Event,
        wanted: &Resource,
        object: &Value,
        patch: &[Value],
    ) -> Result<Value, Failure> {
        let failed = |why: String| Failure::missing_prerequisite(&why);
        let seen = self.to(wanted, object)?;
        let patched = json_patch::patched(&seen, patch).map_err(failed)?;
        let managed = patched["metadata"]["managedFields"].clone();
        let mut object = admitted(wanted, patched).map_err(failed)?;
        if !managed.is_null() {
            object["metadata"]["managedFields"] = managed;
        }
        self.to(event.resource, &object).map(Cow::into_owned)
    }
}

/// The review that a webhook gets, in its version.
fn review(uid: &str, event: &Event, resource: &Resource, object: &Value, old: &Value) -> Value {
    let options = match event.operation {
        "CREATE" => "CreateOptions",
        "UPDATE" => "UpdateOptions",
        _ => "DeleteOptions",
    };
    let kind = |of: &Resource| json!({ "group": of.group, "version": of.version, "kind": of.kind });
    let plural =
        |of: &Resource| json!({ "group": of.group, "version": of.version, "resource": of.plural });
    let mut request = json!({
        "uid": uid,
        "kind": kind(resource),
        "resource": plural(resource),
        "requestKind": kind(event.resource),
        "requestResource": plural(event.resource),
        "operation": event.operation,
        "userInfo": { "username": event.user.name, "groups": event.user.groups },
        "object": object,
        "oldObject": old,
        "dryRun": event.is_dry_run,
        "options": { "apiVersion": "meta.k8s.io/v1", "kind": options },
    });
    for (field, value) in [
        ("name", event.name),
        ("namespace", event.namespace),
        ("subResource", event.subresource),
        ("requestSubResource", event.subresource),
    ] {
        if !value.is_empty() {
            request[field] = json!(value);
        }
    }
    json!({ "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request })
}
