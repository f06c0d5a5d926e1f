//! The requests and responses of admission (`k8s.io/api/admission/v1`).

use std::collections::BTreeMap;
use std::fmt;

use k8s_openapi::ByteString;
use k8s_openapi::api::authentication::v1::UserInfo;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::raw::{weight, without_managed_fields};
use super::request::{About, Operation};
use super::{Cause, Review};
use crate::error::in_full;
use crate::short::short;
use crate::{Error, json};

/// The request of a review.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Call<'a> {
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
    #[serde(borrow)]
    object: Option<&'a RawValue>,
    #[serde(borrow)]
    old_object: Option<&'a RawValue>,
}

/// How the objects of a call are parsed.
#[derive(Clone, Copy)]
pub(super) struct Reading {
    /// The maximum memory of the objects, in bytes.
    pub(super) most: usize,
    /// The number of copies of an object that exist at the same time.
    pub(super) copies: usize,
    pub(super) with_managed_fields: bool,
}

/// Why an object cannot be parsed.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// The object does not match its type.
    Other(String),
    /// Parsing the object may take more memory than the limit.
    TooLarge(usize, usize),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(why) => f.write_str(why),
            Self::TooLarge(needed, most) => {
                let (needed, most) = (needed >> 20, most >> 20);
                write!(
                    f,
                    "reading its fields may take {needed} MiB of memory, but webhooks are limited to {most} MiB"
                )
            }
        }
    }
}

impl From<serde_json::Error> for Unreadable {
    fn from(error: serde_json::Error) -> Self {
        // The error contains values of the object.
        Self::Other(short(error))
    }
}

/// The group and kind of the object.
#[derive(Clone, Default, Deserialize)]
struct GroupKind {
    #[serde(default)]
    group: String,
    kind: String,
}

/// The response of a webhook.
pub(super) enum Verdict {
    /// The result of a validating webhook.
    Reviewed(Review),
    /// Admitted with this patch.
    Patched(Value),
    /// An error with a status code and a message.
    Failed(u16, String),
}

impl Verdict {
    /// The response if a function failed.
    pub(super) fn failed(error: &Error) -> Self {
        Self::Failed(500, format!("cannot review the object: {}", in_full(error)))
    }

    /// The response if a function panicked.
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

impl<'a> Call<'a> {
    /// Parses the request of a review. An error is the response to it.
    pub(super) fn read(request: &'a RawValue) -> Result<Self, Verdict> {
        let call = serde_json::from_str(request.get());
        call.map_err(|error| {
            Verdict::Failed(400, format!("cannot read the review: {}", short(error)))
        })
    }

    /// The object. A deletion has none.
    pub(super) fn object<T: DeserializeOwned>(&self, how: Reading) -> Result<T, Unreadable> {
        read(self.object, 0, how)
    }

    /// The old object, which is parsed in addition to the new one.
    pub(super) fn old_object<T: DeserializeOwned>(&self, how: Reading) -> Result<T, Unreadable> {
        let beside = self.object.map_or(0, |object| weight(object.get()));
        read(self.old_object, beside, how)
    }

    /// The approximate memory of its objects.
    pub(super) fn weight(&self, with_managed_fields: bool) -> usize {
        let objects = [self.object, self.old_object].into_iter().flatten();
        objects
            .map(|object| weight_with(object.get(), with_managed_fields))
            .sum()
    }

    /// The request without the object.
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

    /// For the log: without content of the object, which may be secret.
    pub(super) fn described(&self) -> String {
        let Self { kind, name, .. } = self;
        let namespace = self.namespace.as_deref().unwrap_or_default();
        let user = self.user_info.username.as_deref().unwrap_or_default();
        let [kind, namespace, name, user] = [&kind.kind, namespace, name, user].map(short);
        format!("{} {kind} {namespace}/{name} by {user}", self.operation)
    }

    /// Whether an update of an object that is being deleted only changes its metadata and status, such as its
    /// finalizers.
    pub(super) fn only_finalizes(&self, how: Reading) -> bool {
        let (Some(object), Some(old)) = (self.object, self.old_object) else {
            return false;
        };
        self.operation == Operation::Update
            && is_being_deleted(object)
            && has_same_content(object, old, how.most)
    }
}

/// The approximate memory of an object, with or without its managed fields.
fn weight_with(object: &str, managed_fields: bool) -> usize {
    if managed_fields {
        json::weight(object)
    } else {
        weight(object)
    }
}

fn read<T: DeserializeOwned>(
    object: Option<&RawValue>,
    beside: usize,
    how: Reading,
) -> Result<T, Unreadable> {
    let text = object.map_or("null", RawValue::get);
    let needed = (weight_with(text, how.with_managed_fields) + beside) * how.copies;
    if needed > how.most {
        return Err(Unreadable::TooLarge(needed, how.most));
    }
    Ok(if how.with_managed_fields {
        json::from_str(text)
    } else {
        json::from_str(&without_managed_fields(text))
    }?)
}

fn is_being_deleted(object: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Object {
        metadata: Metadata,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Metadata {
        deletion_timestamp: Option<IgnoredAny>,
    }
    let object: serde_json::Result<Object> = serde_json::from_str(object.get());
    object.is_ok_and(|object| object.metadata.deletion_timestamp.is_some())
}

fn has_same_content(object: &RawValue, other: &RawValue, most: usize) -> bool {
    let content = |object: &RawValue| {
        let mut fields: BTreeMap<String, Box<RawValue>> =
            serde_json::from_str(object.get()).ok()?;
        fields.retain(|field, _| field != "metadata" && field != "status");
        Some(fields)
    };
    let is_same = |left: &RawValue, right: &RawValue| {
        let (left, right) = (left.get(), right.get());
        let fit = || json::weight(left) + json::weight(right) <= most;
        let value = |text| json::from_str::<Value>(text).ok();
        left == right || fit() && value(left).is_some_and(|left| value(right) == Some(left))
    };
    let (Some(content), Some(other)) = (content(object), content(other)) else {
        return false;
    };
    let mut pairs = content.iter().zip(&other);
    content.len() == other.len()
        && pairs
            .all(|((name, left), (other_name, right))| name == other_name && is_same(left, right))
}

/// A review, of which only the parts are parsed that its response repeats.
pub(super) struct ReviewRequest<'a> {
    pub(super) answering: Answering,
    pub(super) request: &'a RawValue,
}

impl<'a> ReviewRequest<'a> {
    /// Parses a review. `None` if it has no uid.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Parts<'a> {
            #[serde(borrow)]
            api_version: Option<&'a RawValue>,
            #[serde(borrow)]
            kind: Option<&'a RawValue>,
            #[serde(borrow)]
            request: Option<&'a RawValue>,
        }
        #[derive(Deserialize)]
        struct Request<'a> {
            #[serde(borrow)]
            uid: Option<&'a RawValue>,
            #[serde(borrow)]
            kind: Option<&'a RawValue>,
            #[serde(borrow)]
            name: Option<&'a RawValue>,
        }
        fn as_<T: DeserializeOwned>(part: Option<&RawValue>) -> Option<T> {
            serde_json::from_str(part?.get()).ok()
        }
        let review: Parts<'a> = serde_json::from_str(text).ok()?;
        let request = review.request?;
        let parts: Request<'a> = serde_json::from_str(request.get()).ok()?;
        let answering = Answering {
            api_version: as_(review.api_version)?,
            kind: as_(review.kind)?,
            uid: as_(parts.uid)?,
            object_kind: as_(parts.kind).unwrap_or_default(),
            name: as_(parts.name).unwrap_or_default(),
        };
        Some(Self { answering, request })
    }
}

/// The parts of a review that its response repeats. Without them, the API server treats the response as a failed call,
/// and `failurePolicy: Ignore` would allow the object: so they are parsed first, and separately.
#[derive(Clone)]
pub(super) struct Answering {
    api_version: String,
    kind: String,
    uid: String,
    object_kind: GroupKind,
    name: String,
}

impl Answering {
    pub(super) fn answer(&self, verdict: &Verdict) -> String {
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
        self.respond(&response)
    }

    /// Serializes the review with its response.
    pub(super) fn respond(&self, response: &impl Serialize) -> String {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct ReviewResponse<'a, R> {
            api_version: &'a str,
            kind: &'a str,
            response: Response<'a, R>,
        }
        #[derive(Serialize)]
        struct Response<'a, R> {
            uid: &'a str,
            #[serde(flatten)]
            response: R,
        }
        let (api_version, kind, uid) = (&*self.api_version, &*self.kind, &*self.uid);
        let response = Response { uid, response };
        let review = ReviewResponse {
            api_version,
            kind,
            response,
        };
        serde_json::to_string(&review).unwrap_or_default()
    }

    fn reviewed(&self, review: &Review) -> Value {
        let mut response = json!({ "allowed": review.is_allowed() });
        if !review.warnings().is_empty() {
            // The API server drops a warning with a line break.
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

    /// The API server's own message for an invalid object.
    fn invalid(&self, review: &Review) -> Value {
        let GroupKind { group, kind } = &self.object_kind;
        let dot = if group.is_empty() { "" } else { "." };
        let name = short(&self.name);
        let causes: Vec<_> = review.causes().iter().map(Cause::to_json).collect();
        json!({
            "code": 422,
            "reason": reason(422),
            "message": format!("{kind}{dot}{group} {name:?} is invalid: {review}"),
            "details": { "name": name, "group": group, "kind": kind, "causes": causes },
        })
    }
}

/// The reason of a status code.
fn reason(code: u16) -> &'static str {
    match code {
        400 => "BadRequest",
        403 => "Forbidden",
        413 => "RequestEntityTooLarge",
        422 => "Invalid",
        _ => "InternalError",
    }
}
