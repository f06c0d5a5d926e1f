//! The dashboards and the alerts, as kustomize renders them.

use rop::disk::View;
use rop::objects::Objects;
use serde_json::Value;

use super::{kustomize, of_kind, project, set_components, the};

#[test]
fn dashboards_and_alerts_are_components() {
    let world = project(false, 1);
    world.rop("generate monitoring").ok();
    set_components(&world, &["../grafana", "../prometheus/alerts"]);
    let Some(objects) = kustomize(&world, "config/default") else {
        return;
    };
    let view = View::of(&world.path()).expect("a view");
    let in_memory = Objects::in_memory(&view, "config/default").expect("objects");
    assert_eq!(in_memory.iter().count(), objects.len());
    let is_dashboard = |map: &&&Value| map["metadata"]["labels"]["grafana_dashboard"] == "1";
    let maps = of_kind(&objects, "ConfigMap");
    let dashboards: Vec<_> = maps.iter().filter(is_dashboard).collect();
    for name in ["appservices.app.example.com", "controllers", "process"] {
        let called = format!("app-operator-{name}-dashboard");
        let mut dashboards = dashboards.iter();
        let map = dashboards.find(|map| map["metadata"]["name"] == called);
        let map = map.unwrap_or_else(|| panic!("no {called}"));
        assert_eq!(map["metadata"]["namespace"], "app-operator-system");
        let file = format!("{name}.json");
        let text = world.read(&format!("config/grafana/{file}"));
        assert_eq!(map["data"][&file].as_str(), Some(&*text));
    }
    assert_eq!(dashboards.len(), 3);

    let rule = the(&objects, "PrometheusRule");
    assert_eq!(rule["metadata"]["namespace"], "app-operator-system");
    let alert = rule["spec"]["groups"][0]["rules"][1].to_string();
    assert!(alert.contains("{{ $labels.controller }}"), "{alert}");
}
