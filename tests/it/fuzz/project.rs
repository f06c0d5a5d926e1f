//! PROJECT, field by field and line by line.

use std::collections::{BTreeMap, BTreeSet};

use fastrand::Rng;
use rop::project::Project;
use serde_json::{Value, json};

use super::shape::shape;
use super::{HOSTILE, hostile, try_all};
use crate::support::seeds;

/// PROJECT with every field that it can have.
fn everything() -> Value {
    json!({
        "cliVersion": "0.1.0", "domain": "example.com", "layout": ["rust.rop/v1"],
        "multigroup": true, "namespaced": false, "license": "apache2", "owner": "Example",
        "projectName": "app-operator", "runtime": "path:vendor/runtime", "version": "3",
        "resources": [
            {
                "api": {"crdVersion": "v1", "namespaced": true},
                "categories": ["all"], "controller": true, "controllers": [{"name": "audit"}],
                "domain": "example.com", "finalizer": true, "group": "ops", "image": "nginx:1.28",
                "kind": "Runner", "plural": "runners", "port": 8080, "shortNames": ["ru"],
                "template": "workload", "version": "v1", "hub": true,
                "policies": {"mutating": true, "validating": true},
                "webhooks": {
                    "conversion": true, "defaulting": true, "defaultingPath": "/default-runners",
                    "spoke": ["v1beta1"], "validation": true, "validationPath": "/validate-runners",
                    "webhookVersion": "v1",
                },
            },
            {
                "api": {"crdVersion": "v1", "namespaced": true}, "categories": ["all"],
                "deprecated": true, "deprecationWarning": "use v1", "domain": "example.com",
                "group": "ops", "kind": "Runner", "plural": "runners", "served": false,
                "shortNames": ["ru"], "template": "workload", "version": "v1beta1",
            },
            {
                "api": {"crdVersion": "v1", "namespaced": true}, "controller": true,
                "domain": "example.com", "group": "app", "image": "busybox:1", "kind": "Task",
                "plural": "tasks", "template": "pod", "version": "v1",
            },
            {
                "controller": true, "core": true, "group": "apps", "kind": "Deployment",
                "path": "k8s_openapi::api::apps::v1", "version": "v1",
                "webhooks": {"defaulting": true, "webhookVersion": "v1"},
            },
            {
                "clusterScoped": true, "controller": true, "domain": "io", "external": true,
                "group": "cert-manager", "kind": "Issuer", "module": "cert-manager-types@1.2",
                "path": "cert_manager_types::v1", "plural": "issuers", "version": "v1",
                "policies": {"validating": true},
                "webhooks": {"validation": true, "webhookVersion": "v1"},
            },
            {
                "controller": true, "domain": "org", "external": true, "group": "other",
                "kind": "Thing", "path": "app_operator_api::external::other_org::v1",
                "plural": "things", "version": "v1",
            },
        ],
    })
}

/// The pointers of all values below one.
fn pointers(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                pointers(field, &format!("{here}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                pointers(item, &format!("{here}/{index}"), found);
            }
        }
        _ => {}
    }
}

fn all_pointers() -> Vec<String> {
    let mut found = Vec::new();
    pointers(&everything(), "", &mut found);
    found
}

fn with(pointer: &str, value: Value) -> String {
    let mut project = everything();
    *project.pointer_mut(pointer).expect("a value") = value;
    project.to_string()
}

/// Every file that the templates make, by path, as its shape.
fn shapes(project: &Project) -> Result<BTreeMap<String, String>, String> {
    let tree =
        rop::template::render(project).map_err(|e| e.chain().collect::<Vec<_>>().join(": "))?;
    let shapes = tree.files().map(|file| {
        let shape = shape(file.path(), file.text())?;
        Ok((file.path().to_owned(), shape))
    });
    shapes.collect()
}

/// What is refused says where, and what is taken is rendered.
fn parse(text: &str) -> Result<Option<Project>, String> {
    match Project::parse(text) {
        Ok(project) => Ok(Some(project)),
        Err(error) => {
            let message = error.chain().collect::<Vec<_>>().join(": ");
            if message.contains("PROJECT") {
                Ok(None)
            } else {
                Err(format!("does not name PROJECT: {message}"))
            }
        }
    }
}

/// The fields that PROJECT can have are in [`everything`]: who adds one is led here.
#[test]
fn every_field_is_tried() {
    let project = Project::parse(&everything().to_string()).expect("PROJECT");
    assert_eq!(shapes(&project).map(|_| ()), Ok(()));
    let source = |path: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        std::fs::read_to_string(path).expect("a source")
    };
    let pointers = all_pointers();
    for (file, name) in [
        ("src/project/mod.rs", "Project"),
        ("src/project/kind/entries.rs", "Entry"),
        ("src/project/kind/entries.rs", "Api"),
        ("src/project/kind/webhooks.rs", "Webhooks"),
        ("src/project/kind/policies.rs", "Policies"),
        ("src/project/kind/entries.rs", "NamedController"),
    ] {
        let items = syn::parse_file(&source(file)).expect("Rust").items;
        let fields = items.into_iter().find_map(|item| match item {
            syn::Item::Struct(item) if item.ident == name => Some(item.fields),
            _ => None,
        });
        let fields = fields.expect(name).into_iter();
        for field in fields.filter(|field| !field.attrs.iter().any(is_skipped)) {
            let other = field.attrs.iter().find_map(renamed);
            let field = other.unwrap_or_else(|| field.ident.expect("a name").to_string());
            let words = field
                .split('_')
                .enumerate()
                .map(|(index, word)| match index {
                    0 => word.to_owned(),
                    _ => format!("{}{}", word[..1].to_uppercase(), &word[1..]),
                });
            let end = format!("/{}", words.collect::<String>());
            let is_tried = pointers.iter().any(|pointer| pointer.ends_with(&end));
            assert!(is_tried, "{name} has {field}, which nothing tries");
        }
    }
}

/// Whether an attribute keeps a field out of PROJECT.
fn is_skipped(attribute: &syn::Attribute) -> bool {
    let list = attribute.meta.require_list();
    list.is_ok_and(|list| list.path.is_ident("serde") && list.tokens.to_string() == "skip")
}

/// What an attribute calls a field in PROJECT.
fn renamed(attribute: &syn::Attribute) -> Option<String> {
    let list = attribute.meta.require_list().ok()?;
    let tokens = list.tokens.to_string();
    let (_, rest) = tokens.split_once("rename = \"")?;
    rest.split('"').next().map(str::to_owned)
}

/// Fields that choose what is generated.
const CHOSEN: [&str; 1] = ["/runtime"];

/// A hostile text is refused, or is in every generated file that one value and nothing else. It is in all fields at
/// once that take it.
#[test]
fn a_hostile_text_is_refused_or_stays_a_value() {
    let usual = Project::parse(&everything().to_string()).expect("PROJECT");
    let usual: BTreeSet<String> = shapes(&usual).expect("shapes").into_values().collect();
    // What may have other files for other values is not among them.
    let is_text = |pointer: &String| {
        let is_chosen = CHOSEN.iter().any(|field| pointer.ends_with(field));
        !is_chosen && everything().pointer(pointer).is_some_and(Value::is_string)
    };
    let pointers: Vec<String> = all_pointers().into_iter().filter(is_text).collect();
    let is_name = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let mut taken = BTreeSet::new();
    let inputs = HOSTILE.iter().filter(|text| !is_name(text));
    let inputs = inputs.map(|text| {
        let mut filled = everything();
        for pointer in &pointers {
            let mut more = filled.clone();
            *more.pointer_mut(pointer).expect("a value") = json!(text);
            if Project::parse(&more.to_string()).is_ok() {
                taken.insert(pointer.clone());
                filled = more;
            }
        }
        (text, filled)
    });
    let inputs: Vec<_> = inputs.collect();
    // What people write in their own words.
    for free in ["/owner", "/resources/1/deprecationWarning"] {
        assert!(taken.contains(free), "{taken:?}");
    }
    try_all(inputs, |(text, filled)| {
        let project = Project::parse(&filled.to_string()).expect("PROJECT");
        match shapes(&project)?
            .iter()
            .find(|(_, shape)| !usual.contains(*shape))
        {
            Some((path, shape)) => Err(format!("{path} is another: {shape}, of {text:?}")),
            None => Ok(()),
        }
    });
}

#[test]
fn a_value_of_another_type_is_refused_or_rendered() {
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(-1),
        json!(1.5),
        json!(u64::MAX),
        json!([]),
        json!({}),
        json!([[[]]]),
        json!([null]),
        json!({"a": {"b": []}}),
        json!("x"),
        json!(["x", "x"]),
    ];
    let pointers = all_pointers();
    let inputs = pointers
        .iter()
        .flat_map(|pointer| values.iter().map(move |value| (pointer, value)));
    try_all(inputs, |(pointer, value)| {
        let project = parse(&with(pointer, (*value).clone()))?;
        let is_rendered = value.is_string() || value.is_u64();
        project
            .filter(|_| is_rendered)
            .map_or(Ok(()), |project| shapes(&project).map(drop))
    });
}

#[test]
fn a_missing_field_is_refused_or_not_needed() {
    try_all(all_pointers(), |pointer| {
        let Some((parent, name)) = pointer.rsplit_once('/') else {
            return Ok(());
        };
        let mut project = everything();
        match project.pointer_mut(parent).expect("a parent") {
            Value::Object(fields) => drop(fields.remove(name)),
            Value::Array(items) => drop(items.remove(name.parse().expect("an index"))),
            _ => {}
        }
        let project = parse(&project.to_string())?;
        project.map_or(Ok(()), |project| shapes(&project).map(drop))
    });
}

/// Text that no program wrote.
#[test]
fn a_damaged_text_is_refused_or_read() {
    let project = Project::parse(&everything().to_string()).expect("PROJECT");
    let text = project.to_text().expect("text");
    for seed in seeds(1) {
        let mut rng = Rng::with_seed(seed);
        let inputs: Vec<_> = (0..2000).map(|_| damaged(&text, &mut rng)).collect();
        let mut rendered = 0;
        let taken = inputs.iter().filter(|text| {
            let is_new = Project::parse(text).is_ok_and(|parsed| parsed != project);
            rendered += usize::from(is_new);
            is_new && rendered <= 10
        });
        let taken: Vec<_> = taken.collect();
        try_all(&inputs, |text| parse(text).map(drop));
        try_all(taken, |text| {
            let project = parse(text)?;
            project.map_or(Ok(()), |project| shapes(&project).map(drop))
        });
    }
}

fn damaged(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(..lines.len());
        let other = rng.usize(..lines.len());
        match rng.u8(..8) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[other].clone()),
            2 => lines.swap(at, other),
            3 => lines[at].insert_str(0, "  "),
            4 => lines[at] = lines[at].trim_start().into(),
            5 => lines.truncate(at.max(1)),
            6 => {
                let key = lines[at].split(':').next().unwrap_or_default().to_owned();
                lines[at] = format!("{key}: {}", hostile(rng));
            }
            _ => {
                let line = &mut lines[at];
                let place = line
                    .char_indices()
                    .map(|(place, _)| place)
                    .nth(rng.usize(..20));
                line.insert_str(place.unwrap_or(0), &hostile(rng));
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}
