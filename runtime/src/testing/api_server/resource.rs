//! The resources that the server serves.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use kube_cel::{CompiledSchema, compile_schema};
use serde_json::{Value, json};

use super::convert::Converter;
use super::schema::{Schema, builtin, crd};
use super::target::{Target, api_version};

/// A version of a resource.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) group: String,
    pub(super) version: String,
    pub(super) plural: String,
    pub(super) singular: String,
    pub(super) kind: String,
    pub(super) list_kind: String,
    pub(super) is_namespaced: bool,
    pub(super) has_status: bool,
    pub(super) scale: Option<Scale>,
    /// The schema. Without one, the kind stores objects unchanged.
    pub(super) schema: Arc<Schema>,
    pub(super) is_builtin: bool,
    /// The validation rules in the schema of a custom kind, if there are any.
    pub(super) rules: Option<Arc<CompiledSchema>>,
    /// Converts its objects to other versions of the kind, if these do not only differ by name.
    pub(super) converter: Option<Arc<Converter>>,
    /// The fields for field selectors, with their paths.
    pub(super) selectable: BTreeMap<String, String>,
}

/// The paths of a kind's `/scale`, such as `.spec.replicas`.
#[derive(Clone, Debug)]
pub(super) struct Scale {
    pub(super) spec: String,
    pub(super) status: String,
    pub(super) selector: Option<String>,
}

impl Resource {
    pub(super) fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// Group and plural, which all versions share.
    pub(super) fn id(&self) -> (&str, &str) {
        (&self.group, &self.plural)
    }

    pub(super) fn group_kind(&self) -> (&str, &str) {
        (&self.group, &self.kind)
    }

    /// The key of its objects in the store.
    pub(super) fn storage(&self) -> String {
        match &*self.group {
            "" => self.plural.clone(),
            group => format!("{}.{group}", self.plural),
        }
    }
}

/// Resources by group, version and plural.
#[derive(Clone, Debug)]
pub(super) struct Resources(BTreeMap<(String, String, String), Arc<Resource>>);

static BUILTIN: LazyLock<Resources> = LazyLock::new(builtin_resources);

impl Default for Resources {
    fn default() -> Self {
        BUILTIN.clone()
    }
}

fn builtin_resources() -> Resources {
    let mut resources = Resources(BTreeMap::new());
    for line in include_str!("builtin/kinds.table").lines() {
        let words = line.split(' ').collect::<Vec<_>>();
        let [api_version, kind, plural, flags @ ..] = &*words else {
            continue;
        };
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let type_ = flags
            .iter()
            .find(|flag| flag.starts_with(char::is_uppercase));
        let scale = Scale {
            spec: ".spec.replicas".to_owned(),
            status: ".status.replicas".to_owned(),
            selector: Some(".spec.selector".to_owned()),
        };
        resources.add(Resource {
            group: group.to_owned(),
            version: version.to_owned(),
            plural: (*plural).to_owned(),
            singular: kind.to_lowercase(),
            kind: (*kind).to_owned(),
            list_kind: format!("{kind}List"),
            is_namespaced: !flags.contains(&"cluster"),
            has_status: flags.contains(&"status"),
            scale: flags.contains(&"scale").then_some(scale),
            schema: builtin::kind(type_.unwrap_or(kind)),
            is_builtin: true,
            rules: None,
            converter: None,
            selectable: selectable(group, plural),
        });
    }
    resources
}

/// The plural of a built-in kind, and whether it is namespaced.
pub(crate) fn builtin_kind(api_version: &str, kind: &str) -> Option<(String, bool)> {
    let mut all = BUILTIN.0.values();
    let found = all.find(|known| known.kind == kind && known.api_version() == api_version)?;
    Some((found.plural.clone(), found.is_namespaced))
}

/// The fields for field selectors of built-in kinds, in addition to name and namespace.
fn selectable(group: &str, plural: &str) -> BTreeMap<String, String> {
    let paths: &[&str] = match (group, plural) {
        ("", "pods") => &[
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
        ],
        ("", "secrets") => &["type"],
        ("", "namespaces") => &["status.phase"],
        ("", "services") => &["spec.clusterIP", "spec.type"],
        ("", "nodes") => &["spec.unschedulable"],
        ("", "events") => &[
            "involvedObject.kind",
            "involvedObject.namespace",
            "involvedObject.name",
            "involvedObject.uid",
            "involvedObject.apiVersion",
            "involvedObject.resourceVersion",
            "involvedObject.fieldPath",
            "reason",
            "reportingComponent",
            "source",
            "type",
        ],
        ("apps", "replicasets") => &["status.replicas"],
        ("batch", "jobs") => &["status.successful"],
        _ => &[],
    };
    let paths = paths.iter();
    paths
        .map(|path| ((*path).to_owned(), format!(".{path}")))
        .collect()
}

impl Resources {
    fn add(&mut self, resource: Resource) {
        let key = (
            resource.group.clone(),
            resource.version.clone(),
            resource.plural.clone(),
        );
        self.0.insert(key, Arc::new(resource));
    }

    pub(super) fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<Resource>> {
        let key = (group.to_owned(), version.to_owned(), plural.to_owned());
        self.0.get(&key).cloned()
    }

    /// Whether exactly this version of a resource is still served.
    pub(super) fn serves(&self, resource: &Arc<Resource>) -> bool {
        resource.is_builtin || self.iter().any(|served| Arc::ptr_eq(served, resource))
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> + Clone {
        self.0.values()
    }

    /// The resource of a kind, in another version of the group if this one is missing.
    pub(super) fn of_kind(&self, api_version: &str, kind: &str) -> Option<&Arc<Resource>> {
        let group = api_version.split_once('/').map_or("", |(group, _)| group);
        let mut all = self
            .iter()
            .filter(|known| known.kind == kind && known.group == group);
        let first = all.clone().next();
        all.find(|known| known.api_version() == api_version)
            .or(first)
    }

    /// The resource with this key in the store.
    pub(super) fn stored(&self, storage: &str) -> Option<&Arc<Resource>> {
        self.iter().find(|resource| resource.storage() == storage)
    }

    /// Serves the versions of a CRD.
    pub(super) fn add_crd(&mut self, crd: &Value) {
        let spec = &crd["spec"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let names = &spec["names"];
        self.remove_crd(crd);
        let versions = spec["versions"].as_array().into_iter().flatten();
        let schema = |version: &Value| crd::object(&version["schema"]["openAPIV3Schema"]);
        let schemas: BTreeMap<_, _> = versions
            .map(|version| (text(&version["name"]), schema(version)))
            .collect();
        let converter = Converter::of(crd, schemas.clone()).map(Arc::new);
        for version in spec["versions"].as_array().into_iter().flatten() {
            if version["served"] != true {
                continue;
            }
            let scale = &version["subresources"]["scale"];
            let kind = text(&names["kind"]);
            let selectable = version["selectableFields"]
                .as_array()
                .into_iter()
                .flatten()
                .map(|field| text(&field["jsonPath"]));
            self.add(Resource {
                group: text(&spec["group"]),
                version: text(&version["name"]),
                plural: text(&names["plural"]),
                singular: names["singular"]
                    .as_str()
                    .map_or_else(|| kind.to_lowercase(), str::to_owned),
                list_kind: names["listKind"]
                    .as_str()
                    .map_or_else(|| format!("{kind}List"), str::to_owned),
                kind,
                is_namespaced: spec["scope"] == "Namespaced",
                has_status: version["subresources"]["status"].is_object(),
                scale: scale.is_object().then(|| Scale {
                    spec: text(&scale["specReplicasPath"]),
                    status: text(&scale["statusReplicasPath"]),
                    selector: scale["labelSelectorPath"].as_str().map(str::to_owned),
                }),
                schema: Arc::clone(&schemas[&text(&version["name"])]),
                is_builtin: false,
                rules: rules(&version["schema"]["openAPIV3Schema"]),
                converter: converter.clone(),
                selectable: selectable
                    .map(|path| (path.trim_start_matches('.').to_owned(), path))
                    .collect(),
            });
        }
    }

    /// Serves a resource without a schema, unless it is already served.
    pub(super) fn add_unchecked(&mut self, target: &Target, kind: &str) {
        let is_served = self.find(&target.group, &target.version, &target.plural);
        if is_served.is_some() {
            return;
        }
        let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        self.add(Resource {
            group: target.group.clone(),
            version: target.version.clone(),
            plural: target.plural.clone(),
            singular: kind.to_lowercase(),
            kind: kind.to_owned(),
            list_kind: format!("{kind}List"),
            is_namespaced: !target.namespace.is_empty(),
            has_status: true,
            scale: None,
            schema: crd::object(&schema),
            is_builtin: false,
            rules: None,
            converter: None,
            selectable: BTreeMap::new(),
        });
    }

    /// Stops serving the versions of a CRD.
    pub(super) fn remove_crd(&mut self, crd: &Value) {
        let (group, plural) = (&crd["spec"]["group"], &crd["spec"]["names"]["plural"]);
        self.0
            .retain(|(known, _, of), _| group != known || plural != of);
    }
}

/// The validation rules in a schema.
fn rules(schema: &Value) -> Option<Arc<CompiledSchema>> {
    let has_rules = schema.to_string().contains("x-kubernetes-validations");
    has_rules.then(|| Arc::new(compile_schema(schema)))
}

/// The value at a path such as `.spec.replicas`.
pub(super) fn at<'a>(object: &'a Value, path: &str) -> &'a Value {
    let names = path.split('.').filter(|name| !name.is_empty());
    names.fold(object, |value, name| &value[name])
}
