//! What `rop generate manifests` says of CRDs without an API server is what one says.

#[path = "../../src/manifest/check/table.rs"]
mod table;

use hyper::Method;

use crate::support::control_plane::ControlPlane;

const CRDS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All";

/// The unit test of the check reads the same table.
#[test]
fn an_api_server_judges_as_the_table_says() {
    let Some(plane) = ControlPlane::new() else {
        return;
    };
    let mut wrong = Vec::new();
    for row in table::rows() {
        let answer = plane
            .api()
            .send(Method::POST, CRDS, "application/json", &row.crd);
        let (code, body) = answer.expect("an answer");
        if (code < 300) != row.refused.is_none() {
            wrong.push(format!("{}: {code}: {}", row.name, body["message"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
