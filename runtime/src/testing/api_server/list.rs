//! Lists: in pages, selected, and at a revision.

use std::sync::Arc;

use serde_json::{Value, json};

use super::failure::Failure;
use super::request::ResourceRequest;
use super::selector::Selector;
use super::state::State;
use super::store::in_namespace;

/// The start of the next page, and the revision of the list.
struct Continue {
    revision: u64,
    start: String,
}

impl Continue {
    fn parse(token: &str) -> Option<Self> {
        let (revision, start) = token.split_once(':')?;
        Some(Self {
            revision: revision.parse().ok()?,
            start: super::target::decode(start),
        })
    }
}

/// The error for a revision that was compacted.
pub(super) fn expired(request: u64, compacted: u64) -> Failure {
    Failure::new(
        410,
        "Expired",
        format!("too old resource version: {request} ({compacted})"),
    )
}

impl State {
    pub(super) fn list(&self, request: &ResourceRequest) -> Result<Value, Failure> {
        let query = &request.query;
        let selector = Selector::parse(
            &request.resource,
            query.get("labelSelector"),
            query.get("fieldSelector"),
        )?;
        check_match(request)?;
        let limit = query.get("limit").parse::<usize>().unwrap_or(0);
        let token = query.get("continue");
        let (revision, start) = match token {
            "" => (self.revision_to_list(request)?, String::new()),
            token => {
                let token = Continue::parse(token).ok_or_else(|| {
                    Failure::bad_request(
                        "continue key is not valid: illegal base64 data at input byte 0",
                    )
                })?;
                if token.revision < self.store.compacted() {
                    let text = "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.";
                    return Err(Failure::new(410, "Expired", text));
                }
                (token.revision, token.start)
            }
        };
        let storage = request.resource.storage();
        let objects = self.store.list_at(&storage, &request.namespace, revision);
        let mut rest = objects
            .range(start..)
            .filter(|(_, object)| selector.matches(object))
            .peekable();
        let mut items = Vec::new();
        while let Some((_, object)) = rest.next_if(|_| limit == 0 || items.len() < limit) {
            let object = self.to_listed(&request.resource, object)?;
            items.push(super::version::item(&request.resource, object.into_owned()));
        }
        let mut metadata = json!({ "resourceVersion": revision.to_string() });
        if !request.resource.is_builtin {
            metadata["continue"] = json!("");
        }
        if let Some((next, _)) = rest.peek() {
            metadata["continue"] = json!(format!("{revision}:{}", encode(next)));
            if selector.is_everything() {
                metadata["remainingItemCount"] = json!(rest.count());
            }
        }
        Ok(json!({
            "kind": request.resource.list_kind,
            "apiVersion": request.resource.api_version(),
            "metadata": metadata,
            "items": items,
        }))
    }

    /// The revision of a list without a continue token.
    fn revision_to_list(&self, request: &ResourceRequest) -> Result<u64, Failure> {
        let now = self.store.revision();
        let Some(requested) = revision_of(request)? else {
            return Ok(now);
        };
        if requested > now {
            let text = format!("Too large resource version: {requested}, current: {now}");
            let details = json!({"causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}], "retryAfterSeconds": 1});
            return Err(
                Failure::new(504, "Timeout", format!("Timeout: {text}")).with_details(details)
            );
        }
        let is_exact = request.query.get("resourceVersionMatch") == "Exact";
        if is_exact && requested < self.store.compacted() {
            return Err(expired(requested, self.store.compacted()));
        }
        Ok(if is_exact { requested } else { now })
    }

    /// The objects of a collection at an older revision, as in a stale cache.
    pub(super) fn stale_list(
        &self,
        storage: &str,
        namespace: &str,
        revision: u64,
    ) -> Vec<Arc<Value>> {
        let revision = revision.max(self.store.compacted());
        self.store
            .list_at(storage, namespace, revision)
            .into_values()
            .collect()
    }
}

/// Reads the revision in a request, if it has one.
pub(super) fn revision_of(request: &ResourceRequest) -> Result<Option<u64>, Failure> {
    let text = request.query.get("resourceVersion");
    if text.is_empty() {
        return Ok(None);
    }
    let revision = text.parse::<u64>().map_err(|_| {
        Failure::bad_request(format!(
            "resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: invalid syntax"
        ))
    })?;
    Ok(Some(revision))
}

/// Whether `resourceVersionMatch` is valid in this request.
fn check_match(request: &ResourceRequest) -> Result<(), Failure> {
    let query = &request.query;
    let (mode, revision) = (
        query.get("resourceVersionMatch"),
        query.get("resourceVersion"),
    );
    let refuse = |field: &str, text: &str| {
        let message = format!("ListOptions.meta.k8s.io \"\" is invalid: {field}: {text}");
        let cause = json!({"reason": "FieldValueForbidden", "message": text, "field": field});
        let details = json!({"group": "meta.k8s.io", "kind": "ListOptions", "causes": [cause]});
        Err(Failure::new(422, "Invalid", message).with_details(details))
    };
    match mode {
        "" => Ok(()),
        _ if revision.is_empty() => refuse(
            "resourceVersionMatch",
            "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided",
        ),
        _ if !query.get("continue").is_empty() => refuse(
            "resourceVersionMatch",
            "Forbidden: resourceVersionMatch is forbidden when continue is provided",
        ),
        "Exact" if revision == "0" => refuse(
            "resourceVersionMatch",
            "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"",
        ),
        _ => Ok(()),
    }
}

/// Encodes a key for a continue token.
fn encode(key: &str) -> String {
    key.replace('%', "%25")
        .replace('/', "%2F")
        .replace('+', "%2B")
}

/// Whether a key is in a namespace.
pub(super) fn is_in(key: &str, namespace: &str) -> bool {
    key.starts_with(&in_namespace(namespace))
}
