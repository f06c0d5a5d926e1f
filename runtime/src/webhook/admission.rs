//! The requests and answers of admission, as the API server writes and reads them
//! (`k8s.io/api/admission/v1`).

use k8s_openapi::ByteString;
use k8s_openapi::api::authentication::v1::UserInfo;
use serde::Deserialize;
use serde_json::{Value, json};

use super::request::{About, Operation};
use super::{Cause, Review};

/// What is asked.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Call {
    kind: GroupKind,
    operation: Operation,
    #[serde(default)]
    name: String,
    namespace: Option<String>,
    sub_resource: Option<String>,
    #[serde(default)]
    user_info: UserInfo,
    #[serde(default)]
    dry_run: bool,
    #[serde(default)]
    pub(super) object: Value,
    #[serde(default)]
    pub(super) old_object: Value,
}

/// What the object is.
#[derive(Default, Deserialize)]
struct GroupKind {
    #[serde(default)]
    group: String,
    kind: String,
}

/// What a webhook answers.
pub(super) enum Verdict {
    /// What it found.
    Reviewed(Review),
    /// It is allowed, with this patch.
    Patched(Value),
    /// It cannot be told: a code, and why.
    Failed(u16, String),
}

impl Verdict {
    /// What is said for a function that panicked.
    pub(super) fn panicked(path: &str) -> Self {
        Self::Failed(500, format!("the webhook at {path} panicked"))
    }

    pub(super) fn is_allowed(&self) -> bool {
        match self {
            Self::Reviewed(review) => review.is_allowed(),
            Self::Patched(_) => true,
            Self::Failed(..) => false,
        }
    }
}

impl Call {
    /// Reads the request of a review. What cannot be read has its verdict.
    pub(super) fn read(request: Value) -> Result<Self, Verdict> {
        let unreadable = |error| Verdict::Failed(400, format!("cannot read the review: {error}"));
        Self::deserialize(request).map_err(unreadable)
    }

    /// What is said of the request beside the object.
    pub(super) fn about(&self) -> About {
        About {
            operation: self.operation,
            name: self.name.clone(),
            namespace: self.namespace.clone().filter(|name| !name.is_empty()),
            subresource: self.sub_resource.clone().filter(|name| !name.is_empty()),
            user: self.user_info.clone(),
            is_dry_run: self.dry_run,
        }
    }

    pub(super) fn operation(&self) -> Operation {
        self.operation
    }

    /// For the log: no part of the object, which may be a secret.
    pub(super) fn described(&self) -> String {
        let Self { kind, name, .. } = self;
        let namespace = self.namespace.as_deref().unwrap_or_default();
        let user = self.user_info.username.as_deref().unwrap_or_default();
        let (operation, kind) = (self.operation, &kind.kind);
        format!("{operation} {kind} {namespace}/{name} by {user}")
    }

    /// Whether an update of an object that is being deleted changes its metadata and its status only, such as the
    /// finalizers.
    pub(super) fn only_finalizes(&self) -> bool {
        let content = |object: &Value| {
            let mut object = object.clone();
            if let Some(fields) = object.as_object_mut() {
                fields.retain(|field, _| field != "metadata" && field != "status");
            }
            object
        };
        self.operation == Operation::Update
            && !self.object["metadata"]["deletionTimestamp"].is_null()
            && content(&self.object) == content(&self.old_object)
    }
}

/// What the answer to a review repeats of it. Without, the API server takes an answer for a call that failed,
/// which under `failurePolicy: Ignore` lets the object through: so it is read first, and by hand.
pub(super) struct Answering {
    api_version: String,
    kind: String,
    uid: String,
    object_kind: GroupKind,
    name: String,
}

impl Answering {
    /// That of a review: `None` if it has no identity.
    pub(super) fn of(review: &Value) -> Option<Self> {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let request = &review["request"];
        Some(Self {
            api_version: text(&review["apiVersion"])?,
            kind: text(&review["kind"])?,
            uid: text(&request["uid"])?,
            object_kind: GroupKind::deserialize(&request["kind"]).unwrap_or_default(),
            name: text(&request["name"]).unwrap_or_default(),
        })
    }

    pub(super) fn answer(&self, verdict: &Verdict) -> Value {
        let response = match verdict {
            Verdict::Patched(patch) => json!({
                "allowed": true,
                "patchType": "JSONPatch",
                "patch": ByteString(patch.to_string().into_bytes()),
            }),
            Verdict::Failed(code, why) => json!({
                "allowed": false,
                "status": { "code": code, "reason": reason(*code), "message": why },
            }),
            Verdict::Reviewed(review) => self.reviewed(review),
        };
        self.respond(response)
    }

    /// The review of a response.
    pub(super) fn respond(&self, mut response: Value) -> Value {
        response["uid"] = json!(self.uid);
        json!({ "apiVersion": self.api_version, "kind": self.kind, "response": response })
    }

    fn reviewed(&self, review: &Review) -> Value {
        let mut response = json!({ "allowed": review.is_allowed() });
        if !review.warnings().is_empty() {
            // What has a line break would be dropped as a whole.
            let warnings = review.warnings().iter();
            let lines = warnings.map(|warning| warning.replace(char::is_control, " "));
            response["warnings"] = lines.collect();
        }
        if let Some(denial) = review.denial() {
            let status = json!({ "code": 403, "reason": reason(403), "message": denial });
            response["status"] = status;
        } else if !review.is_allowed() {
            response["status"] = self.invalid(review);
        }
        response
    }

    /// What the API server itself says of an invalid object.
    fn invalid(&self, review: &Review) -> Value {
        let GroupKind { group, kind } = &self.object_kind;
        let dot = if group.is_empty() { "" } else { "." };
        let name = &self.name;
        let causes: Vec<_> = review.causes().iter().map(Cause::to_json).collect();
        json!({
            "code": 422,
            "reason": reason(422),
            "message": format!("{kind}{dot}{group} {name:?} is invalid: {review}"),
            "details": { "name": name, "group": group, "kind": kind, "causes": causes },
        })
    }
}

/// The reason of a code, in the words of Kubernetes.
fn reason(code: u16) -> &'static str {
    match code {
        400 => "BadRequest",
        403 => "Forbidden",
        422 => "Invalid",
        _ => "InternalError",
    }
}
