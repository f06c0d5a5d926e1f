//! The longest name that an object of the user may have: a rule of its CRD may allow less than the API server.

use hyper::Method;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;

use super::subject::Subject;
use super::world::ask;
use crate::testing::api_server::{ApiServer, User};

/// The lengths that are tried: what the names of most children may have, and what is left for what they add.
const LENGTHS: [usize; 6] = [63, 58, 52, 45, 37, 30];

/// Sets the length of long names of objects.
pub(super) fn find(subjects: &mut [Subject], crds: &[CustomResourceDefinition]) {
    let server = ApiServer::new();
    for crd in crds {
        server.add_crd(crd);
    }
    for subject in subjects {
        if let Some(namespace) = &subject.target.namespace {
            server.add_namespace(namespace);
        }
        if let Some(longest) = longest(&server, subject) {
            subject.longest = longest;
        }
    }
}

/// The greatest length that an API server accepts.
fn longest(server: &ApiServer, subject: &Subject) -> Option<usize> {
    let is_accepted = |length: &usize| {
        let mut object = subject.object.clone();
        object["metadata"]["name"] = subject.long_name(*length, 'x').into();
        let (code, _) = ask(
            server,
            &User::admin(),
            &Method::POST,
            &format!("{}?dryRun=All", subject.collection()),
            "application/json",
            Some(&object),
        );
        code.is_success()
    };
    LENGTHS.into_iter().find(is_accepted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_rule_of_a_crd_limits_a_name() {
        let rule = json!({ "rule": "self.metadata.name.size() <= 52" });
        let crd = serde_json::from_value(json!({
            "metadata": { "name": "sites.example.com" },
            "spec": {
                "group": "example.com",
                "names": { "kind": "Site", "plural": "sites" },
                "scope": "Namespaced",
                "versions": [{
                    "name": "v1", "served": true, "storage": true,
                    "schema": { "openAPIV3Schema": { "type": "object", "x-kubernetes-validations": [rule] } },
                }],
            },
        }));
        let crds = [crd.expect("a CRD")];
        let site = json!({
            "apiVersion": "example.com/v1", "kind": "Site", "metadata": { "name": "site" },
        });
        let mut subject = Subject::of(&site, &crds, "shop").unwrap();
        assert_eq!(subject.longest, 63);
        find(std::slice::from_mut(&mut subject), &crds);
        assert_eq!(subject.longest, 52);
        assert_eq!(subject.long_name(8, 'e'), "site-xxe");
    }
}
