use std::fmt;

use serde_json::Value;

use crate::error::Result;
use crate::kubectl::Kubectl;
use crate::objects::{self, Objects};

use super::crd;

/// So many objects are told by name.
pub(super) const TOLD: usize = 3;

/// The objects of a kind that go when its CRD does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CustomObjects {
    /// The name of the CRD.
    pub crd: String,
    /// How many there are.
    pub count: u64,
    /// The first of them, with their namespaces.
    pub names: Vec<String>,
    /// Whether any of those has a finalizer, which something has to take off before it goes.
    pub finalized: bool,
}

/// What data goes with the CRDs: an entry for each kind that has any.
///
/// # Errors
/// The objects cannot be read.
pub fn of_crds(kubectl: &Kubectl, crds: &Objects) -> Result<Vec<CustomObjects>> {
    let mut data = Vec::new();
    for live in crd::live(kubectl, crds)? {
        let Some(path) = collection(&live) else {
            continue;
        };
        let list = list(kubectl, &path)?;
        let items = list["items"].as_array().map_or(&[][..], Vec::as_slice);
        let more = list["metadata"]["remainingItemCount"].as_u64().unwrap_or(0);
        let count = u64::try_from(items.len()).unwrap_or(u64::MAX) + more;
        if count > 0 {
            data.push(CustomObjects {
                crd: live["metadata"]["name"]
                    .as_str()
                    .unwrap_or_default()
                    .to_owned(),
                count,
                names: items.iter().map(name_in_namespace).collect(),
                finalized: items.iter().any(has_finalizer),
            });
        }
    }
    Ok(data)
}

/// The first objects of a collection; an empty list where it is not served.
fn list(kubectl: &Kubectl, path: &str) -> Result<Value> {
    let path = format!("{path}?limit={TOLD}");
    match kubectl.json(&["get", "--raw", &path], None) {
        // A CRD whose names are taken has no objects that could be read.
        Err(error) if error.chain().any(|text| text.contains("NotFound")) => Ok(Value::Null),
        list => list,
    }
}

/// The URL of all objects of a CRD, in a version that is served: the stored one where it can be, which nobody has to
/// convert.
pub(super) fn collection(crd: &Value) -> Option<String> {
    let spec = &crd["spec"];
    let versions = spec["versions"].as_array()?;
    let mut served = versions.iter().filter(|version| version["served"] == true);
    let stored = served.clone().find(|version| version["storage"] == true);
    let served = stored.or_else(|| served.next())?;
    let (group, version) = (spec["group"].as_str()?, served["name"].as_str()?);
    let plural = spec["names"]["plural"].as_str()?;
    Some(format!("/apis/{group}/{version}/{plural}"))
}

/// The name of an object behind its namespace, where it has one.
pub(super) fn name_in_namespace(object: &Value) -> String {
    let name = objects::name(object);
    match object["metadata"]["namespace"].as_str() {
        Some(namespace) => format!("{namespace}/{name}"),
        None => name.to_owned(),
    }
}

fn has_finalizer(object: &Value) -> bool {
    let finalizers = object["metadata"]["finalizers"].as_array();
    finalizers.is_some_and(|finalizers| !finalizers.is_empty())
}

impl fmt::Display for CustomObjects {
    /// As `5 appservices.app.example.com: default/a, default/b, default/c, …`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.names.join(", ");
        let more = if u64::try_from(self.names.len()).is_ok_and(|told| told < self.count) {
            ", …"
        } else {
            ""
        };
        write!(f, "{} {}: {names}{more}", self.count, self.crd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_the_first_by_name() {
        let mut data = CustomObjects {
            crd: "as.example.com".into(),
            count: 2,
            names: vec!["n/a".into(), "n/b".into()],
            finalized: false,
        };
        assert_eq!(data.to_string(), "2 as.example.com: n/a, n/b");
        data.count = 3;
        assert_eq!(data.to_string(), "3 as.example.com: n/a, n/b, …");
    }
}
