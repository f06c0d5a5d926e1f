use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::image::blob::sha256;
use crate::image::platform_image::PlatformImage;

use super::array;
use super::linked::linked;

/// An SPDX 2.3 document. Its namespace is of its content, so that it is the same each time.
pub(super) fn document(
    metadata: &Value,
    package: &str,
    image: &PlatformImage,
    created: &str,
) -> Value {
    let linked = linked(metadata, package);
    let packages: BTreeMap<&str, &Value> = array(&metadata["packages"])
        .filter_map(|package| Some((package["id"].as_str()?, package)))
        .filter(|(id, _)| linked.contains_key(id))
        .collect();
    let name = |id: &str| {
        let metadata = packages.get(id).copied().unwrap_or(&Value::Null);
        let (name, version) = (text(metadata, "name"), text(metadata, "version"));
        (
            format!(
                "SPDXRef-{}-{}",
                name.replace('_', "-"),
                version.replace('+', "-")
            ),
            name,
            version,
        )
    };
    let listed: Vec<Value> = packages
        .iter()
        .map(|(id, package)| {
            let (reference, name, version) = name(id);
            let is_public = package["source"].is_string();
            let mut entry = json!({
                "SPDXID": reference,
                "name": name,
                "versionInfo": version,
                "downloadLocation": "NOASSERTION",
                "filesAnalyzed": false,
                "licenseConcluded": "NOASSERTION",
                // Cargo allows a slash where SPDX has a word.
                "licenseDeclared": package["license"].as_str().map_or("NOASSERTION".into(), |l| l.replace('/', " OR ")),
                "copyrightText": "NOASSERTION",
            });
            if is_public {
                entry["externalRefs"] = json!([{
                    "referenceCategory": "PACKAGE-MANAGER",
                    "referenceType": "purl",
                    "referenceLocator": format!("pkg:cargo/{name}@{version}"),
                }]);
            }
            entry
        })
        .collect();
    let mut relations = Vec::new();
    for (id, dependencies) in &linked {
        let (of, found, _) = name(id);
        if found == package {
            relations.push(relation("SPDXRef-DOCUMENT", "DESCRIBES", &of));
        }
        for dependency in dependencies {
            relations.push(relation(&of, "DEPENDS_ON", &name(dependency).0));
        }
    }
    let mark = sha256(format!("{} {listed:?}", image.manifest.hex).as_bytes());
    json!({
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": format!("{package} sha256:{}", image.manifest.hex),
        "documentNamespace": format!("urn:sha256:{mark}"),
        "creationInfo": {
            "created": created,
            "creators": [concat!("Tool: rop-", env!("CARGO_PKG_VERSION"))],
        },
        "packages": listed,
        "relationships": relations,
    })
}

fn relation(from: &str, kind: &str, to: &str) -> Value {
    json!({"spdxElementId": from, "relationshipType": kind, "relatedSpdxElement": to})
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}
