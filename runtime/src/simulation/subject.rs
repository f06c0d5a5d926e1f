//! The objects of the simulated user.

use std::collections::{BTreeMap, BTreeSet};

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use serde_json::Value;

use super::references::{rename, texts};
use super::target::{Target, text};
use crate::testing::api_server::builtin_kind;

/// An object that the user creates, changes and deletes.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) target: Target,
    /// The original object.
    pub(super) object: Value,
    /// Whether its kind is built into Kubernetes.
    pub(super) is_builtin: bool,
    /// The schema of its spec, if it is known.
    pub(super) schema: Option<Value>,
    /// Whether its kind has `/scale`.
    pub(super) has_scale: bool,
    pub(super) conditions: Conditions,
    /// The length of a long name.
    pub(super) longest: usize,
}

/// The conditions of a status.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Conditions {
    None,
    /// A write replaces the list.
    OfOneClient,
    /// A list with the key `type`: several clients can have conditions of their own.
    OfSeveral,
}

impl Subject {
    /// Creates a subject from an object, in `namespace` unless it has its own.
    ///
    /// # Errors
    /// If it has no kind or no name.
    pub(super) fn of(
        object: &Value,
        crds: &[CustomResourceDefinition],
        namespace: &str,
    ) -> Result<Self, String> {
        let field = |name: &str| {
            object[name]
                .as_str()
                .ok_or_else(|| format!("an object without {name}"))
        };
        let (version, kind) = (field("apiVersion")?, field("kind")?);
        for part in [
            version,
            kind,
            text(object, "name"),
            text(object, "namespace"),
        ] {
            if !part.bytes().all(|byte| byte.is_ascii_graphic()) {
                return Err(format!("an object with the invalid name {part:?}"));
            }
        }
        let (group, short) = version.split_once('/').unwrap_or(("", version));
        let is_it = |crd: &&CustomResourceDefinition| {
            crd.spec.group == group && crd.spec.names.kind == kind
        };
        let crd = crds.iter().find(is_it);
        let name = text(object, "name");
        if name.is_empty() {
            return Err(format!("a {kind} without a name"));
        }
        let (plural, namespaced) = match crd {
            Some(crd) => (
                crd.spec.names.plural.clone(),
                crd.spec.scope == "Namespaced",
            ),
            None => builtin_kind(version, kind).ok_or_else(|| {
                format!("{kind} of {version}: no CRD has this kind, and it is not built in")
            })?,
        };
        let own = Some(text(object, "namespace")).filter(|own| !own.is_empty());
        let target = Target {
            version: version.to_owned(),
            plural,
            namespace: namespaced.then(|| own.unwrap_or(namespace).to_owned()),
            name: name.to_owned(),
            subresource: String::new(),
        };
        let served =
            crd.and_then(|crd| crd.spec.versions.iter().find(|served| served.name == short));
        let schema = served
            .and_then(|version| version.schema.as_ref()?.open_api_v3_schema.as_ref())
            .and_then(|schema| serde_json::to_value(schema).ok());
        let mut object = object.clone();
        if let Some(namespace) = &target.namespace {
            object["metadata"]["namespace"] = namespace.clone().into();
        }
        let conditions = schema
            .as_ref()
            .and_then(|all| all.pointer("/properties/status/properties/conditions"));
        let subresources = served.and_then(|version| version.subresources.as_ref());
        Ok(Self {
            target,
            object,
            is_builtin: crd.is_none(),
            longest: LONG,
            has_scale: subresources.is_some_and(|served| served.scale.is_some()),
            conditions: match conditions {
                None => Conditions::None,
                Some(list) if list["x-kubernetes-list-type"] == "map" => Conditions::OfSeveral,
                Some(_) => Conditions::OfOneClient,
            },
            schema: schema.map(|mut schema| schema["properties"]["spec"].take()),
        })
    }

    /// A copy with another name. References in its spec to others of these objects become references to their copies.
    pub(super) fn copied(&self, copy: &Copies, all: &[Self]) -> Self {
        let mut other = copy.moved(self);
        other.target.name = copy.name(self);
        other.object["metadata"]["name"] = other.target.name.clone().into();
        let others = all
            .iter()
            .map(|subject| (&*subject.target.name, copy.referred(subject)));
        let mut names: BTreeMap<_, _> = others.collect();
        names.remove(&*self.target.name);
        let schema = self.schema.as_ref().unwrap_or(&Value::Null);
        rename(&mut other.object["spec"], schema, &names);
        // A selector of another may have the name as the value of a label.
        names.insert(&self.target.name, other.target.name.clone());
        for field in ["labels", "annotations"] {
            if let Some(fields) = other.object["metadata"].get_mut(field) {
                rename(fields, &Value::Null, &names);
            }
        }
        other
    }

    /// A name of this length that ends with a letter, and begins like its own.
    pub(super) fn long_name(&self, length: usize, letter: char) -> String {
        let width = length - 1;
        let first = format!("{}-", self.target.name);
        format!("{first:x<width$}{letter}")
    }

    /// The path of the collection in which it is created.
    pub(super) fn collection(&self) -> String {
        Target {
            name: String::new(),
            ..self.target.clone()
        }
        .path()
    }
}

/// The length of a long name, unless its CRD allows less: what the names of most children, and the values of labels, may
/// have.
const LONG: usize = 63;

/// One copy of all objects of the user.
#[derive(Clone, Debug)]
pub(super) struct Copies {
    pub(super) letter: char,
    /// Whether it is in a second namespace, with the names of the first copy. Objects without a namespace have names of
    /// their own.
    pub(super) is_elsewhere: bool,
    /// Whether it refers to the first copy: an object can be referred to by several.
    pub(super) refers_to_first: bool,
}

impl Copies {
    const FIRST: Self = Self {
        letter: 'a',
        is_elsewhere: false,
        refers_to_first: false,
    };

    /// The object in the namespace of these copies.
    pub(super) fn moved(&self, subject: &Subject) -> Subject {
        let mut moved = subject.clone();
        let namespace = &mut moved.target.namespace;
        if let Some(namespace) = namespace.as_mut().filter(|_| self.is_elsewhere) {
            *namespace = format!("{namespace}-{namespace}");
            moved.object["metadata"]["namespace"] = namespace.clone().into();
        }
        moved
    }

    /// Whether its names are long.
    pub(super) fn is_long(&self) -> bool {
        matches!(self.letter, 'e' | 'f')
    }

    fn name(&self, subject: &Subject) -> String {
        let name = &subject.target.name;
        let namespace = subject.target.namespace.as_deref();
        match self.letter {
            _ if self.is_elsewhere && namespace.is_some() => Self::FIRST.name(subject),
            // The name of the first, and more: that of another object may begin like its own. Joined with its namespace,
            // it is that of the copy in the second namespace: `site-shop` in `shop`, and `site` in `shop-shop`.
            'c' => format!("{}-{}", Self::FIRST.name(subject), namespace.unwrap_or("c")),
            // The same with the namespace first.
            'd' => format!("{}-{}", namespace.unwrap_or("d"), Self::FIRST.name(subject)),
            // Names that only differ at their end, which is lost where a name is cut off.
            letter if self.is_long() => subject.long_name(subject.longest, letter),
            letter => format!("{name}-{letter}"),
        }
    }

    /// The name by which others of these copies refer to an object.
    fn referred(&self, subject: &Subject) -> String {
        if self.refers_to_first {
            return Self::FIRST.name(subject);
        }
        self.name(subject)
    }
}

/// The objects of the user, as opposed to those of the operator.
#[derive(Debug, Default)]
pub(super) struct Owners {
    /// The resources of the operator's own kinds, in the versions of the user's objects.
    resources: BTreeSet<String>,
    /// The same without their versions: all objects of these resources count.
    group_resources: BTreeSet<String>,
    /// Objects of built-in kinds: others of the same kind may be children.
    targets: BTreeSet<Target>,
    /// Objects whose status has conditions.
    reporting: BTreeSet<Target>,
}

impl Owners {
    pub(super) fn of(subjects: &[Subject]) -> Self {
        let reporting = subjects
            .iter()
            .filter(|subject| subject.conditions != Conditions::None);
        let (builtin, own): (Vec<_>, Vec<_>) =
            subjects.iter().partition(|subject| subject.is_builtin);
        Self {
            resources: own
                .iter()
                .map(|subject| subject.target.resource())
                .collect(),
            group_resources: own
                .iter()
                .map(|subject| subject.target.group_resource())
                .collect(),
            targets: builtin
                .iter()
                .map(|subject| subject.target.clone())
                .collect(),
            reporting: reporting.map(|subject| subject.target.clone()).collect(),
        }
    }

    /// The objects with conditions that the spec of an object names.
    pub(super) fn named(&self, of: &Target, spec: &Value) -> impl Iterator<Item = &Target> {
        let texts = texts(spec);
        self.reporting.iter().filter(move |other| {
            let is_near = other.namespace.is_none() || other.namespace == of.namespace;
            is_near && texts.contains(&&*other.name)
        })
    }

    /// The resources of these objects.
    pub(super) fn resources(&self) -> impl Iterator<Item = String> {
        let of_targets = self.targets.iter().map(Target::resource);
        self.resources.iter().cloned().chain(of_targets)
    }

    /// Whether an object belongs to the user.
    pub(super) fn has(&self, target: &Target) -> bool {
        self.group_resources.contains(&target.group_resource()) || self.targets.contains(target)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const B: Copies = Copies {
        letter: 'b',
        ..Copies::FIRST
    };

    #[test]
    fn an_object_is_where_its_kind_says() {
        let node = serde_json::json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "one" } });
        let subject = Subject::of(&node, &[], "shop").unwrap();
        assert_eq!(subject.copied(&B, &[]).target.path(), "/api/v1/nodes/one-b");
        let class = serde_json::json!({ "apiVersion": "node.k8s.io/v1", "kind": "RuntimeClass", "metadata": { "name": "one" } });
        let subject = Subject::of(&class, &[], "shop").unwrap();
        let path = "/apis/node.k8s.io/v1/runtimeclasses/one";
        assert_eq!(subject.target.path(), path);
        assert!(Subject::of(&serde_json::json!({}), &[], "shop").is_err());
        let node = serde_json::json!({ "apiVersion": "v1", "kind": "No\nde", "metadata": { "name": "one" } });
        let why = Subject::of(&node, &[], "shop").unwrap_err();
        assert_eq!(why, "an object with the invalid name \"No\\nde\"");
    }

    #[test]
    fn a_copy_refers_to_copies() {
        let of = |kind: &str, name: &str, spec: Value| {
            let object = serde_json::json!({ "apiVersion": "v1", "kind": kind, "metadata": { "name": name }, "spec": spec });
            Subject::of(&object, &[], "shop").unwrap()
        };
        let broker = of(
            "ConfigMap",
            "broker",
            serde_json::json!({ "image": "broker:1" }),
        );
        let spec = serde_json::json!({ "brokers": ["broker", "other"], "name": "account" });
        let account = of("Secret", "account", spec);
        let copy = account.copied(&B, &[broker.clone(), account.clone()]);
        let spec = serde_json::json!({ "brokers": ["broker-b", "other"], "name": "account" });
        assert_eq!(copy.object["spec"], spec);
        let elsewhere = Copies {
            is_elsewhere: true,
            ..B
        };
        let copy = account.copied(&elsewhere, &[broker.clone(), account.clone()]);
        let spec = serde_json::json!({ "brokers": ["broker-a", "other"], "name": "account" });
        assert_eq!(copy.object["spec"], spec);
        assert_eq!(
            copy.target.path(),
            "/api/v1/namespaces/shop-shop/secrets/account-a"
        );
        let third = Copies {
            letter: 'c',
            refers_to_first: true,
            ..B
        };
        let copy = account.copied(&third, &[broker, account.clone()]);
        assert_eq!(copy.object["spec"], spec);
        assert_eq!(copy.target.name, "account-a-shop");
    }

    /// An operator may create Deployments in addition to those of the user.
    #[test]
    fn of_a_builtin_kind_only_the_users_objects_are_theirs() {
        let deployment = serde_json::json!({ "apiVersion": "apps/v1", "kind": "Deployment", "metadata": { "name": "web" } });
        let subject = Subject::of(&deployment, &[], "shop").unwrap();
        let owners = Owners::of(std::slice::from_ref(&subject));
        assert!(owners.has(&subject.target));
        assert!(!owners.has(&subject.copied(&B, &[]).target));
    }
}
