//! Access and token reviews, which are created but not stored.

use hyper::body::Bytes;
use hyper::{Method, Request};
use serde_json::{Value, json};

use super::failure::Failure;
use super::rights::{Wish, may};
use super::state::State;
use super::target::Target;
use super::user::User;

/// Handles a review. `None` if the request is not a review.
pub(super) fn answer(
    state: &State,
    user: &User,
    target: &Target,
    request: &Request<Bytes>,
) -> Result<Option<Value>, Failure> {
    if request.method() != Method::POST {
        return Ok(None);
    }
    let read = || {
        let review: Result<Value, _> = serde_json::from_slice(request.body());
        review.map_err(|error| Failure::bad_request(error.to_string()))
    };
    match (&*target.group, &*target.plural) {
        ("authorization.k8s.io", "selfsubjectaccessreviews") => {
            Ok(Some(access(state, user, read()?)))
        }
        ("authorization.k8s.io", "subjectaccessreviews" | "localsubjectaccessreviews") => {
            let review = read()?;
            let about = User {
                name: review["spec"]["user"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                groups: texts(&review["spec"]["groups"]),
            };
            Ok(Some(access(state, &about, review)))
        }
        ("authentication.k8s.io", "tokenreviews") => Ok(Some(token(read()?))),
        _ => Ok(None),
    }
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|text| Some(text.as_str()?.to_owned()))
        .collect()
}

fn access(state: &State, user: &User, mut review: Value) -> Value {
    let attributes = &review["spec"]["resourceAttributes"];
    let text = |name: &str| attributes[name].as_str().unwrap_or_default();
    let resource = match text("subresource") {
        "" => text("resource").to_owned(),
        subresource => format!("{}/{subresource}", text("resource")),
    };
    let wish = Wish {
        verb: text("verb"),
        group: text("group"),
        resource,
        namespace: text("namespace"),
        name: text("name"),
    };
    let is_allowed = may(state, user, &wish);
    review["status"] = json!({ "allowed": is_allowed });
    review
}

/// A token is the name of a user, as in clients of this server.
fn token(mut review: Value) -> Value {
    let token = review["spec"]["token"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    review["status"] = if token.starts_with("system:serviceaccount:") {
        json!({ "authenticated": true, "user": { "username": token } })
    } else {
        json!({ "user": {}, "error": "invalid bearer token" })
    };
    review
}
