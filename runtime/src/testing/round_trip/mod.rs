//! Tests conversions with round trips of objects that are generated from the schemas.

mod generate;
mod law;
mod lost;
mod pattern;
mod side;
#[cfg(test)]
mod tests;

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use fastrand::Rng;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Resource;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::api_server::custom::Custom;
use crate::webhook::{Conversion, Kind, written};
use law::{check, shown, yaml};
use lost::{Lost, covers};
use side::{Plain, Side};

/// The number of converted objects of each version.
const OBJECTS: u64 = 100;

/// Tests the conversion between the hub `H` and a spoke `S`. A few hundred objects, generated from
/// the schemas of both versions and the same in every run, are converted to the other version and
/// back.
///
/// The test checks for each object that
/// - every object that the schema allows can be deserialized,
/// - the converted object is valid in the other version, and has only fields of its schema,
/// - converting it back restores the original, and converting it again gives the same result,
/// - a change in the other version is visible in both.
///
/// Fields that a version cannot represent are kept in an annotation, and must be declared, so that
/// no field is forgotten: `spec.zone`, `spec.ports[].protocol` for the items of a list,
/// `spec.labels.*` for a map. A declaration includes all fields below.
///
/// ```no_run
/// use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
/// use kube::Resource;
/// use rop_runtime::testing::RoundTrip;
/// use serde::{Serialize, de::DeserializeOwned};
///
/// fn v2<V1, V2>(crds: &[CustomResourceDefinition])
/// where
///     V1: Resource<DynamicType = ()> + From<V2> + Serialize + DeserializeOwned + 'static,
///     V2: Resource<DynamicType = ()> + From<V1> + Serialize + DeserializeOwned + 'static,
/// {
///     RoundTrip::<V1, V2>::new(crds)
///         .only_in_hub(&["spec.zone"])
///         .check();
/// }
/// ```
pub struct RoundTrip<H, S> {
    hub: Side,
    spoke: Side,
    versions: PhantomData<fn() -> (H, S)>,
}

impl<H, S> RoundTrip<H, S>
where
    H: Resource<DynamicType = ()> + From<S> + Serialize + DeserializeOwned + 'static,
    S: Resource<DynamicType = ()> + From<H> + Serialize + DeserializeOwned + 'static,
{
    /// Creates a test of two versions that one of these CRDs has. By default, each version can
    /// represent all fields of the other.
    ///
    /// # Panics
    /// Panics if no CRD has both versions, or if they are of different kinds.
    #[must_use]
    pub fn new(crds: &[CustomResourceDefinition]) -> Self {
        let (kind, faults) = Conversion::<H>::new().spoke::<S>().into_parts();
        assert!(faults.is_empty(), "{}", faults.join("; "));
        let kind = Arc::new(kind);
        let spoke = S::version(&()).into_owned();
        let of_hub = (Box::new(written::<H>) as Rewrite, "only_in_hub");
        let of_spoke = (Box::new(written::<S>) as Rewrite, "only_in_spoke");
        Self {
            hub: side::<H>(crds, &kind, &spoke, &spoke, of_hub),
            spoke: side::<S>(crds, &kind, &spoke, &H::version(&()), of_spoke),
            versions: PhantomData,
        }
    }

    /// Declares the fields of the hub that the spoke cannot represent.
    #[must_use]
    pub fn only_in_hub(mut self, paths: &[&str]) -> Self {
        self.hub
            .only
            .extend(paths.iter().map(|&path| path.to_owned()));
        self
    }

    /// Declares the fields of the spoke that the hub cannot represent.
    #[must_use]
    pub fn only_in_spoke(mut self, paths: &[&str]) -> Self {
        self.spoke
            .only
            .extend(paths.iter().map(|&path| path.to_owned()));
        self
    }

    /// Runs the test.
    ///
    /// # Panics
    /// Panics if the test fails.
    pub fn check(self) {
        if let Err(why) = verify(&self.hub, &self.spoke) {
            panic!("{why}");
        }
    }
}

type Rewrite = Box<dyn Fn(&Value) -> serde_json::Result<Value>>;

/// The side of the version `K`, whose objects are converted to the other version.
fn side<K: Resource<DynamicType = ()>>(
    crds: &[CustomResourceDefinition],
    kind: &Arc<Kind>,
    spoke: &str,
    other: &str,
    (written, method): (Rewrite, &'static str),
) -> Side {
    let (group, name, version) = (K::group(&()), K::kind(&()), K::version(&()));
    let mut crds = crds.iter();
    let found = crds.find(|crd| crd.spec.group == group && crd.spec.names.kind == name);
    let custom = found.and_then(|crd| Custom::of(&json!(crd), &version));
    let Some(custom) = custom else {
        panic!("no CRD has the version {version} of {name}.{group}");
    };
    let (converter, reader) = (Arc::clone(kind), Arc::clone(kind));
    let (spoke, other) = (spoke.to_owned(), other.to_owned());
    let in_words = |error: serde_json::Error| error.to_string();
    let plain: Plain = Box::new(move |object| reader.plain(object, &spoke).map_err(in_words));
    Side {
        version: version.clone().into_owned(),
        api_version: K::api_version(&()).into_owned(),
        kind: name.into_owned(),
        custom,
        annotation: format!("{group}/conversion-data.{version}"),
        only: Vec::new(),
        method,
        convert: Box::new(move |object| converter.convert(object, &other).expect("known versions")),
        plain,
        written: Box::new(move |object| written(object).map_err(in_words)),
    }
}

/// Returns the first violated law or wrong declaration.
fn verify(hub: &Side, spoke: &Side) -> Result<(), String> {
    let mut problems = Vec::new();
    for (this, other) in [(hub, spoke), (spoke, hub)] {
        let lost = lost_of(this, other)?;
        problems.extend(undeclared(this, other, &lost));
        problems.extend(stale(this, other, &lost));
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(problems.join("\n"))
    }
}

/// The fields that the other version cannot represent: an example for each path, with the seed of its object.
fn lost_of(this: &Side, other: &Side) -> Result<BTreeMap<String, (Lost, u64)>, String> {
    let mut all = BTreeMap::new();
    let mut invalid = Vec::new();
    let mut is_any_valid = false;
    for seed in 0..OBJECTS {
        let mut rng = Rng::with_seed(seed);
        let object = match generate::object(this, &mut rng) {
            Ok(object) => object,
            Err(problems) => {
                invalid = problems;
                continue;
            }
        };
        is_any_valid = true;
        let work = AssertUnwindSafe(|| check(this, other, &object, &mut rng));
        let lost = match catch_unwind(work) {
            Ok(lost) => lost.map_err(|broken| broken.text(seed))?,
            Err(panic) => return Err(panicked(this, other, &object, seed, &*panic)),
        };
        for lost in lost {
            all.entry(lost.path.clone()).or_insert((lost, seed));
        }
    }
    if !is_any_valid {
        let (version, why) = (&this.version, invalid.join("; "));
        return Err(format!(
            "cannot generate a valid object of {version} from its schema: {why}"
        ));
    }
    Ok(all)
}

fn panicked(this: &Side, other: &Side, object: &Value, seed: u64, panic: &dyn Any) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    let (from, to) = (&this.version, &other.version);
    let yaml = yaml(object);
    let why = text.unwrap_or("no message");
    format!(
        "a conversion between {from} and {to} panicked: {why} (seed {seed})\n\n# {from}\n{yaml}"
    )
}

/// The error for fields that are lost but not declared.
fn undeclared(this: &Side, other: &Side, lost: &BTreeMap<String, (Lost, u64)>) -> Option<String> {
    let is_declared = |path: &str| this.only.iter().any(|declared| covers(declared, path));
    let lost: Vec<_> = lost.iter().filter(|(path, _)| !is_declared(path)).collect();
    if lost.is_empty() {
        return None;
    }
    let (from, to, kind, method) = (&this.version, &other.version, &this.kind, this.method);
    let mut text = format!("{to} does not hold all of {from}:\n");
    for (path, (Lost { was, is, .. }, seed)) in &lost {
        let (was, is) = (shown(was), shown(is));
        let _ = writeln!(text, "  {path}: {was} comes back as {is} (seed {seed})");
    }
    let paths: Vec<_> = lost.iter().map(|(path, _)| format!("{path:?}")).collect();
    let _ = write!(
        text,
        "Convert it in `From<{from}::{kind}> for {to}::{kind}` and back. If {to} cannot represent it, declare it, so that it is kept in an annotation:\n  .{method}(&[{}])\n",
        paths.join(", ")
    );
    Some(text)
}

/// The error for fields that are declared but never lost.
fn stale(this: &Side, other: &Side, lost: &BTreeMap<String, (Lost, u64)>) -> Option<String> {
    let is_stale = |declared: &&String| !lost.keys().any(|path| covers(declared, path));
    let stale: Vec<_> = this
        .only
        .iter()
        .filter(is_stale)
        .map(|path| format!("{path:?}"))
        .collect();
    let (from, to, method, paths) = (&this.version, &other.version, this.method, stale.join(", "));
    let text = format!(
        "{to} holds what the test declares to be in {from} only: take {paths} out of `.{method}`\n"
    );
    (!stale.is_empty()).then_some(text)
}
