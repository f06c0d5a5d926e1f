//! Routes requests to their handlers.

use std::sync::Arc;

use hyper::body::Bytes;
use hyper::{Request, StatusCode};
use serde_json::{Value, json};

use super::failure::Failure;
use super::request::{self, ResourceRequest};
use super::state::State;
use super::store::key;
use super::target::Target;
use super::user::User;
use super::watches::Watch;
use super::{Write, rights};

/// A response.
pub(super) enum Answer {
    Object(StatusCode, Value),
    Watch(Watch),
}

impl State {
    /// Handles a request.
    pub(super) fn answer(
        &mut self,
        user: &User,
        request: Request<Bytes>,
    ) -> Result<Answer, Failure> {
        let path = request.uri().path().to_owned();
        let ok = |object| Ok(Answer::Object(StatusCode::OK, object));
        if let Some(found) = super::discovery::answer(&self.resources, &path) {
            return ok(found);
        }
        let Some(target) = Target::parse(&path) else {
            return Err(Failure::new(
                404,
                "NotFound",
                "the server could not find the requested resource",
            ));
        };
        if let Some(review) = super::review::answer(self, user, &target, &request)? {
            return Ok(Answer::Object(StatusCode::CREATED, review));
        }
        let found = self
            .resources
            .find(&target.group, &target.version, &target.plural);
        let Some(resource) = found else {
            return Err(missing());
        };
        let is_in_namespace = !target.namespace.is_empty();
        if is_in_namespace && !resource.is_namespaced {
            return Err(missing());
        }
        let request = request::read(user, target, resource, request);
        rights::check(self, &request)?;
        let has_subresource = match &*request.subresource {
            "" => true,
            "status" => request.resource.has_status,
            "scale" => request.resource.scale.is_some(),
            _ => false,
        };
        if !has_subresource {
            let failure = if request.resource.is_builtin {
                missing()
            } else {
                Failure::not_found(request.resource.id(), &request.name)
            };
            return Err(failure);
        }
        self.run(&request)
    }

    fn run(&mut self, request: &ResourceRequest) -> Result<Answer, Failure> {
        let before = self.store.revision();
        let answer = match request.verb {
            _ if request.lacks_namespace() && !request.name.is_empty() => Err(missing()),
            "create" | "deletecollection" if request.lacks_namespace() => Err(not_allowed()),
            "get" => self
                .get(request)
                .map(|object| Answer::Object(StatusCode::OK, object)),
            "list" => self
                .list(request)
                .map(|list| Answer::Object(StatusCode::OK, list)),
            "watch" => self.watch(request).map(Answer::Watch),
            "create" if request.name.is_empty() => {
                let created = self.create(request);
                created.map(|object| Answer::Object(StatusCode::CREATED, object))
            }
            "update" if !request.name.is_empty() => self.update(request).map(written),
            "patch" if !request.name.is_empty() => self.patch(request).map(written),
            "delete" if request.subresource.is_empty() => self
                .delete(request)
                .map(|object| Answer::Object(StatusCode::OK, object)),
            "deletecollection" => self
                .delete_all(request)
                .map(|list| Answer::Object(StatusCode::OK, list)),
            _ => Err(not_allowed()),
        };
        if !matches!(request.verb, "get" | "list" | "watch") {
            self.note(request, before, answer.as_ref().err());
        }
        if self.store.revision() != before {
            self.notify();
        }
        let partial = request.wants_metadata() && !matches!(request.verb, "watch");
        match answer? {
            Answer::Object(code, object) if partial => {
                Ok(Answer::Object(code, super::partial::of_answer(object)))
            }
            answer => Ok(answer),
        }
    }

    fn note(&mut self, request: &ResourceRequest, before: u64, failure: Option<&Failure>) {
        let revision = self.store.revision();
        self.writes.push(Write {
            revision,
            changed: revision != before,
            verb: request.verb.to_owned(),
            group: request.resource.group.clone(),
            resource: request.resource.plural.clone(),
            subresource: request.subresource.clone(),
            namespace: request.namespace.clone(),
            name: request.name.clone(),
            user: request.user.name.clone(),
            manager: request.manager(),
            refused: failure.map(|failure| failure.code),
        });
    }

    fn get(&self, request: &ResourceRequest) -> Result<Value, Failure> {
        let resource = &request.resource;
        let live: &Arc<Value> = self
            .store
            .get(&resource.storage(), &key(&request.namespace, &request.name))
            .ok_or_else(|| Failure::not_found(resource.id(), &request.name))?;
        let object = self.to(resource, live)?;
        Ok(match &*request.subresource {
            "scale" => super::scale::of(resource, &object),
            _ => object.into_owned(),
        })
    }
}

/// The response to a write. The first element is whether the object was created.
fn written((is_new, object): (bool, Value)) -> Answer {
    let code = if is_new {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Answer::Object(code, object)
}

fn not_allowed() -> Failure {
    let message = "the server does not allow this method on the requested resource";
    Failure::new(405, "MethodNotAllowed", message).with_details(json!({}))
}

fn missing() -> Failure {
    let message = "the server could not find the requested resource";
    Failure::new(404, "NotFound", message).with_details(json!({}))
}
