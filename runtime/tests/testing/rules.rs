//! Validation rules that call functions of the CEL libraries of Kubernetes.

use kube::api::PostParams;
use kube::{Api, CustomResource, KubeSchema};
use rop_runtime::Identity;
use rop_runtime::testing::{FakeApi, check};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Deserialize, Serialize, CustomResource, KubeSchema)]
#[kube(group = "net.example.com", version = "v1", kind = "Route", namespaced)]
#[x_kube(validation = Rule::new("isURL(self.url) && url(self.url).getScheme() == 'https'"))]
#[x_kube(validation = Rule::new("isIP(self.address) && ip(self.address).family() == 4"))]
#[x_kube(validation = Rule::new("cidr('10.0.0.0/8').containsIP(self.address)"))]
#[x_kube(validation = Rule::new("isSemver(self.version) && semver(self.version).major() > 0"))]
#[x_kube(validation = Rule::new("sets.contains(['a', 'b'], self.zones)"))]
#[x_kube(validation = Rule::new("!format.dns1123Label().validate(self.host).hasValue()"))]
#[x_kube(validation = Rule::new("base64.decode(self.token).size() > 2"))]
#[x_kube(validation = Rule::new("math.greatest(self.weight, 3) == self.weight"))]
struct RouteSpec {
    url: String,
    address: String,
    version: String,
    zones: Vec<String>,
    host: String,
    token: String,
    weight: i32,
}

fn route() -> Route {
    let spec = RouteSpec {
        url: "https://example.com".to_owned(),
        address: "10.0.0.7".to_owned(),
        version: "1.2.3".to_owned(),
        zones: vec!["a".to_owned()],
        host: "web".to_owned(),
        token: "c2VjcmV0".to_owned(),
        weight: 3,
    };
    let mut route = Route::new("web", spec);
    route.metadata.namespace = Some("default".to_owned());
    route
}

fn api() -> FakeApi<()> {
    let identity = Identity::new("net-operator", "1.0.0");
    FakeApi::new(identity, (), |_| {})
}

#[tokio::test]
async fn functions_of_kubernetes_are_evaluated() {
    let api = api();
    api.install::<Route>();
    let routes = Api::<Route>::namespaced(api.client(), "default");
    let created = routes.create(&PostParams::default(), &route()).await;
    created.expect("a route that the rules allow");

    let edits: [fn(&mut RouteSpec); 6] = [
        |spec| spec.address = "192.168.0.1".to_owned(),
        |spec| spec.version = "0.1.0".to_owned(),
        |spec| spec.zones.push("c".to_owned()),
        |spec| spec.host = "-".to_owned(),
        |spec| spec.token = "YQ==".to_owned(),
        |spec| spec.weight = 2,
    ];
    for (index, edit) in edits.into_iter().enumerate() {
        let mut route = route();
        edit(&mut route.spec);
        route.metadata.name = Some(format!("web-{index}"));
        let errors = check(&route, None).expect_err("a violated rule");
        assert!(errors.starts_with("1 "), "{errors}");
        let created = routes.create(&PostParams::default(), &route).await;
        assert!(matches!(created, Err(kube::Error::Api(_))), "{created:?}");
    }
}

/// An API server has a function that the tests do not have: the object is not refused for that.
#[tokio::test]
async fn a_function_that_is_unknown_refuses_nothing() {
    let api = api();
    api.install::<Route>();
    let mut route = route();
    route.spec.url = "http://example.com".to_owned();
    check(&route, None).unwrap();
    let routes = Api::<Route>::namespaced(api.client(), "default");
    let created = routes.create(&PostParams::default(), &route).await;
    created.expect("a route");
}
