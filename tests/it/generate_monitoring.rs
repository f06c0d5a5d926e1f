use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::World;

const FOLDER: &str = "config/grafana";
const ALERTS: &str = "config/prometheus/alerts";
const RULES: &str = "config/prometheus/alerts/rules.yaml";
const LIST: &str = "config/grafana/metrics.yaml";
const CUSTOM: &str = "config/grafana/custom.json";

/// A project with a webhook and a metric of the user's.
fn project() -> World {
    let world = World::with_api();
    let webhook = "create webhook --group app --version v1alpha1 --kind AppService --validation";
    world.rop(webhook).ok();
    world.rop("generate monitoring").ok();
    let metric = "customMetrics:\n- {metric: shop_orders_total, type: counter}\n";
    world.replace(LIST, "customMetrics: []\n", metric);
    world.rop("generate monitoring").ok();
    world
}

/// The names of the dashboards.
fn dashboards(world: &World) -> Vec<String> {
    let files = world.tree().into_keys();
    let files = files.filter_map(|path| {
        let name = path.strip_prefix(FOLDER)?.strip_suffix(".json")?;
        Some(name[1..].to_owned())
    });
    files.collect()
}

fn dashboard(world: &World, name: &str) -> Value {
    let text = world.read(&format!("{FOLDER}/{name}.json"));
    serde_json::from_str(&text).expect("JSON")
}

/// The queries of the dashboards, and of their variables.
fn queries(world: &World) -> Vec<String> {
    let mut queries = Vec::new();
    for name in dashboards(world) {
        let dashboard = dashboard(world, &name);
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        for panel in list(&dashboard["panels"]) {
            queries.extend(
                list(&panel["targets"])
                    .iter()
                    .map(|target| text(&target["expr"])),
            );
        }
        let variables = list(&dashboard["templating"]["list"]).iter();
        let variables = variables.filter(|variable| variable["type"] == "query");
        queries.extend(variables.map(|variable| text(&variable["query"]["query"])));
    }
    queries
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

/// The groups of alerts.
fn groups(world: &World) -> Vec<Value> {
    let files = world.tree().into_iter();
    let files = files.filter(|(path, _)| path.starts_with(ALERTS) && path.ends_with("rules.yaml"));
    let groups = files.flat_map(|(_, text)| {
        let object: Value = serde_yaml::from_str(&text).expect("YAML");
        list(&object["spec"]["groups"]).to_vec()
    });
    groups.collect()
}

/// The metrics that dashboards and alerts name.
pub(crate) fn metrics(world: &World) -> BTreeSet<String> {
    let groups = groups(world).into_iter();
    let alerts = groups.flat_map(|group| {
        let rules = list(&group["rules"]).iter();
        let queries = rules.map(|rule| rule["expr"].as_str().expect("a query").to_owned());
        queries.collect::<Vec<_>>()
    });
    let queries = queries(world).into_iter().chain(alerts);
    queries.flat_map(|query| named(&query)).collect()
}

/// Fails if a running operator does not export a metric.
#[track_caller]
pub(crate) fn are_exported<'a>(metrics: impl IntoIterator<Item = &'a String>, text: &str) {
    for metric in metrics {
        let mut series = text.lines().filter_map(|line| line.strip_prefix(&**metric));
        let is_there = series.any(|rest| rest.starts_with(['{', ' ']));
        assert!(is_there, "no {metric}: {text}");
    }
}

/// The metrics that a query names: the words that are no function, no keyword and no label.
fn named(query: &str) -> Vec<String> {
    let mut plain = String::new();
    let (mut quoted, mut braces) = (false, 0);
    for c in query.chars() {
        match c {
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => braces += 1,
            '}' | ']' if !quoted => braces -= 1,
            c if !quoted && braces == 0 => plain.push(c),
            _ => {}
        }
    }
    let plain = match plain.strip_prefix("label_values(") {
        Some(variable) => variable.split(',').next().unwrap_or_default(),
        None => &plain,
    };
    let mut names = Vec::new();
    let mut rest = plain;
    while let Some(start) = rest.find(|c: char| c.is_ascii_alphabetic()) {
        let word = &rest[start..];
        let end = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let (word, after) = word.split_at(end.unwrap_or(word.len()));
        rest = after;
        match word {
            "by" | "on" => {
                let (_, after) = rest.split_once(')').expect("labels");
                rest = after;
            }
            "and" | "or" | "unless" => {}
            _ if rest.starts_with('(') || rest.starts_with(" by (") => {}
            word => names.push(word.to_owned()),
        }
    }
    names
}

#[test]
fn metrics_are_found_in_queries() {
    let query = r#"time() - max by (pod, job) (rate(a_total{b="c)", d!="{"}[$__rate_interval])) > 3 and on (e) f"#;
    assert_eq!(named(query), ["a_total", "f"]);
}

#[test]
fn each_kind_has_a_dashboard() {
    let world = World::with_api();
    let outcome = world.rop("generate monitoring").ok();
    insta::assert_snapshot!(outcome, @"
    exit: 0
    --- stderr
       create config/grafana/appservices.app.example.com.json
       create config/grafana/controllers.json
       create config/grafana/kustomization.yaml
       create config/grafana/metrics.yaml
       create config/grafana/process.json
       create config/prometheus/alerts/kustomization.yaml
       create config/prometheus/alerts/rules.yaml
    note: to deploy them, add `../grafana`, `../prometheus` and `../prometheus/alerts` to `components:` in config/default/kustomization.yaml
    ");
    let tree = world.tree();
    world.rop("generate monitoring").did_nothing();
    world.rop("generate monitoring --check").ok();
    world.rop("generate project").did_nothing();
    assert_eq!(world.tree(), tree);

    // Other commands keep them up to date.
    let first = ["appservices.app.example.com", "controllers", "process"];
    assert_eq!(dashboards(&world), first);
    world.rop("create api --group app --kind Cache").ok();
    world
        .rop("create api --group apps --kind Deployment --version v1 --controller --resource=false")
        .ok();
    let names = dashboards(&world);
    assert_eq!(names[1..3], ["caches.app.example.com", "controllers"]);
    assert!(names.contains(&"deployments.apps".to_owned()), "{names:?}");
    let text = world.read("config/grafana/caches.app.example.com.json");
    assert!(
        text.contains(r#"group=\"app.example.com\", kind=\"Cache\""#),
        "{text}"
    );
    world.rop("generate monitoring --check").ok();
    world.rop("delete api --group app --kind Cache").ok();
    world
        .rop("delete api --group apps --kind Deployment --version v1")
        .ok();
    assert_eq!(world.tree(), tree);

    let has_certificate = |world: &World| {
        metrics(world)
            .iter()
            .any(|name| name.contains("certificate"))
    };
    assert!(!has_certificate(&world));
    world
        .rop("create webhook --group app --version v1alpha1 --kind AppService --validation")
        .ok();
    assert!(has_certificate(&world));
}

/// A command that adds a dashboard adds it to the chart as well.
#[test]
fn the_chart_has_new_dashboards() {
    let world = World::with_api();
    world.rop("generate monitoring").ok();
    world.rop("generate chart").ok();
    world.rop("create api --group app --kind Cache").ok();
    let tree = world.tree();
    let is_dashboard = |path: &&String| {
        path.starts_with("dist/chart/templates/grafana/") && path.contains("caches")
    };
    assert_eq!(tree.keys().filter(is_dashboard).count(), 1);
    world.rop("generate chart").did_nothing();
}

/// What the user edits stays, and is reported where it is in the way.
#[test]
fn edits_are_kept() {
    let world = World::with_api();
    world.rop("generate monitoring").ok();
    world.replace(RULES, "> 300", "> 900");
    world
        .rop("create webhook --group app --version v1alpha1 --kind AppService --validation")
        .ok();
    assert!(world.read(RULES).contains("> 900"));
    assert_eq!(groups(&world).len(), 2);
    let kustomization = "config/prometheus/alerts/kustomization.yaml";
    assert!(
        world
            .read(kustomization)
            .ends_with("- rules.yaml\n- webhook_rules.yaml\n")
    );
    world.rop("generate monitoring").did_nothing();
    world.rop("generate monitoring --check").ok();
    world
        .rop("delete webhook --group app --version v1alpha1 --kind AppService --validation")
        .ok();
    assert_eq!(groups(&world).len(), 1);
    assert!(world.read(kustomization).ends_with("- rules.yaml\n"));
    world.rop("generate monitoring").did_nothing();

    let path = "config/grafana/process.json";
    world.replace(path, "\"title\": \"CPU\"", "\"title\": \"Mine\"");
    world
        .rop("generate monitoring")
        .exits(1)
        .says("process.json is generated but was edited");
    world.rop("generate monitoring --force").ok();
    assert!(!world.read(path).contains("Mine"));

    // What is left of a deleted output is known.
    std::fs::remove_dir_all(world.path().join("config/grafana")).expect("a folder");
    world.rop("generate monitoring").ok();
    assert!(world.read(RULES).contains("> 900"));
    world.rop("generate project").did_nothing();

    // A folder of the user's is not touched.
    let world = World::with_api();
    world.write("config/grafana/kustomization.yaml", "kind: Component\n");
    let tree = world.tree();
    world
        .rop("generate monitoring")
        .exits(1)
        .says("error[files-in-the-way]");
    assert_eq!(world.tree(), tree);
}

/// Edited alerts get a new name of the project, and those that do not are out of date.
#[test]
fn edited_alerts_are_renamed() {
    let world = World::with_api();
    world.rop("generate monitoring").ok();
    world.replace(RULES, "> 300", "> 900");
    world.write(
        "config/prometheus/alerts/mine.yaml",
        "expr: up{job=\"app-operator-metrics-service\", namespace=\"app-operator-system\"} == 0\n",
    );
    world.rop("edit --project-name new-operator").ok();
    let rules = world.read(RULES);
    assert!(rules.contains("> 900") && rules.contains("operator: new-operator"));
    assert!(
        !rules.contains("app-operator") && !rules.contains("189232f3"),
        "{rules}"
    );
    assert_eq!(
        world.read("config/prometheus/alerts/mine.yaml"),
        "expr: up{job=\"new-operator-metrics-service\", namespace=\"new-operator-system\"} == 0\n"
    );
    world.rop("generate monitoring --check").ok();

    let other = "operator_build_info{pod=\"a\", name=\"old-operator\"}";
    world.replace(RULES, "operator_build_info{name=\"new-operator\"}", other);
    let reason = "config/prometheus/alerts/rules.yaml (`old-operator` is not `new-operator` of this project)";
    let checked = world.rop("generate monitoring --check").exits(3);
    checked
        .says(reason)
        .says("hint: write this project's names into the alerts");
    world.rop("check --skip manifests").exits(3).says(reason);
    world.rop("generate monitoring").ok().says(reason);
}

#[test]
fn users_list_their_metrics() {
    let world = World::with_api();
    world.rop("generate monitoring").ok();
    assert!(!world.path().join(CUSTOM).exists());
    let query = r#"sum(rate(shop_orders_total{kind="a\"b"}[5m])) # {{ "c" }}"#;
    let list = format!(
        "customMetrics:
- {{metric: shop_orders_total, type: counter}}
- {{metric: shop_cart_bytes, type: gauge}}
- {{metric: shop_checkout_seconds, type: histogram}}
- metric: shop_orders_total
  type: counter
  unit: percent
  expr: '{query}'
"
    );
    world.write(LIST, &list);
    world
        .rop("generate monitoring --check")
        .exits(3)
        .says(CUSTOM);
    // Any command reads the list.
    world.rop("create api --group app --kind Cache").ok();
    let custom = dashboard(&world, "custom");
    let panels = self::list(&custom["panels"]).iter().map(|panel| {
        let unit = panel["fieldConfig"]["defaults"]["unit"]
            .as_str()
            .expect("a unit");
        let query = panel["targets"][0]["expr"].as_str().expect("a query");
        format!("{unit}: {query}")
    });
    let mut panels: Vec<_> = panels.collect();
    assert_eq!(panels.pop(), Some(format!("percent: {query}")));
    insta::assert_snapshot!(panels.join("\n"), @r#"
    short: sum by (pod) (rate(shop_orders_total{namespace="$namespace", job="$job"}[$__rate_interval]))
    bytes: shop_cart_bytes{namespace="$namespace", job="$job"}
    s: histogram_quantile(0.9, sum by (pod, le) (rate(shop_checkout_seconds_bucket{namespace="$namespace", job="$job"}[$__rate_interval])))
    "#);

    world.write(LIST, "customMetrics:\n");
    world.rop("generate monitoring").ok();
    assert!(!world.path().join(CUSTOM).exists());
}

#[test]
fn a_malformed_list_is_refused() {
    let world = World::with_api();
    world.rop("generate monitoring").ok();
    let list = world.read(LIST);
    let tree = world.tree();
    let mut messages = String::new();
    for entry in [
        "{metric: orders_total}",
        "{type: counter}",
        "{metric: orders, type: summary}",
        "{metric: orders, type: gauge, color: red}",
        "{metric: 'a{b=\"c\"}', type: gauge}",
        "{metric: 1st, type: gauge}",
    ] {
        world.write(LIST, &format!("customMetrics:\n- {entry}\n"));
        let outcome = world.rop("generate monitoring").exits(1);
        writeln!(messages, "{entry}\n{outcome}").expect("a text");
    }
    insta::assert_snapshot!(messages, @r#"
    {metric: orders_total}
    exit: 1
    --- stderr
    error[malformed-file]: line 2 column 4: missing field `type`
       --> config/grafana/metrics.yaml:2:4
      |
      1 | customMetrics:
      2 | - {metric: orders_total}
      |    ^ missing field `type`
    hint: each entry of `customMetrics` has `metric`, `type` (counter, gauge or histogram), and can have `expr` and `unit`

    {type: counter}
    exit: 1
    --- stderr
    error[malformed-file]: line 2 column 4: missing field `metric`
       --> config/grafana/metrics.yaml:2:4
      |
      1 | customMetrics:
      2 | - {type: counter}
      |    ^ missing field `metric`
    hint: each entry of `customMetrics` has `metric`, `type` (counter, gauge or histogram), and can have `expr` and `unit`

    {metric: orders, type: summary}
    exit: 1
    --- stderr
    error[malformed-file]: line 2 column 26: unknown variant `summary`, expected one of counter, gauge, histogram
       --> config/grafana/metrics.yaml:2:26
      |
      1 | customMetrics:
      2 | - {metric: orders, type: summary}
      |                          ^ unknown variant `summary`, expected one of counter, gauge, histogram
    hint: each entry of `customMetrics` has `metric`, `type` (counter, gauge or histogram), and can have `expr` and `unit`

    {metric: orders, type: gauge, color: red}
    exit: 1
    --- stderr
    error[malformed-file]: line 2 column 33: unknown field `color`, expected one of metric, type, expr, unit
       --> config/grafana/metrics.yaml:2:33
      |
      1 | customMetrics:
      2 | - {metric: orders, type: gauge, color: red}
      |                                 ^ unknown field `color`, expected one of metric, type, expr, unit
    hint: each entry of `customMetrics` has `metric`, `type` (counter, gauge or histogram), and can have `expr` and `unit`

    {metric: 'a{b="c"}', type: gauge}
    exit: 1
    --- stderr
    error[malformed-file]: invalid metric name `a{b="c"}` in `config/grafana/metrics.yaml`: only ASCII letters, digits, `_` and `:` are allowed, and no digit comes first
    hint: write a query with labels or functions in `expr`

    {metric: 1st, type: gauge}
    exit: 1
    --- stderr
    error[malformed-file]: invalid metric name `1st` in `config/grafana/metrics.yaml`: only ASCII letters, digits, `_` and `:` are allowed, and no digit comes first
    hint: write a query with labels or functions in `expr`
    "#);
    world.write(LIST, &list);
    assert_eq!(world.tree(), tree);
}

/// Grafana's schema, as far as it has rules for what dashboards have here.
#[test]
fn dashboards_fit_grafana() {
    let world = project();
    let mut uids = BTreeSet::new();
    for name in dashboards(&world) {
        let dashboard = dashboard(&world, &name);
        let text = |value: &Value| {
            value
                .as_str()
                .map(str::to_owned)
                .filter(|text| !text.is_empty())
        };
        let uid = text(&dashboard["uid"]).expect("a uid");
        let is_uid = uid.len() <= 40 && uid.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        assert!(is_uid && uids.insert(uid.clone()), "{uid}");
        assert!(text(&dashboard["title"]).is_some(), "{name}");
        assert!(dashboard["schemaVersion"].as_u64() >= Some(36), "{name}");

        let variables = list(&dashboard["templating"]["list"]);
        assert_eq!(variables[0]["type"], "datasource");
        let names: Vec<_> = variables
            .iter()
            .filter_map(|variable| variable["name"].as_str())
            .collect();
        assert_eq!(names, ["datasource", "namespace", "job"]);

        let (mut ids, mut cells) = (BTreeSet::new(), BTreeSet::new());
        for panel in list(&dashboard["panels"]) {
            assert_eq!(panel["type"], "timeseries");
            assert!(text(&panel["title"]).is_some(), "{panel}");
            assert!(ids.insert(panel["id"].as_u64().expect("an id")), "{panel}");
            let [x, y, w, h] =
                ["x", "y", "w", "h"].map(|key| panel["gridPos"][key].as_u64().expect("a number"));
            assert!(w > 0 && h > 0 && x + w <= 24, "{panel}");
            for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
                assert!(cells.insert(cell), "{name}: panels overlap at {cell:?}");
            }
            let mut refs = BTreeSet::new();
            assert!(!list(&panel["targets"]).is_empty(), "{panel}");
            for target in list(&panel["targets"]) {
                assert!(text(&target["expr"]).is_some(), "{panel}");
                assert!(
                    refs.insert(text(&target["refId"]).expect("an id")),
                    "{panel}"
                );
                assert_eq!(target["datasource"]["uid"], "${datasource}");
                assert_eq!(target["datasource"]["type"], "prometheus");
            }
        }
    }
    assert_eq!(uids.len(), 4);
}

/// What the library exports stands in its source: a renamed metric cannot stay in a panel or an alert. A running
/// operator shows the same in `cluster::metrics`.
#[test]
fn metrics_are_those_of_the_library() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("runtime/src");
    let mut source = String::new();
    for file in ["families", "collectors", "requests", "process", "mod"] {
        let path = root.join(format!("metrics/{file}.rs"));
        source += &std::fs::read_to_string(path).expect("a source");
    }
    let webhooks = std::fs::read_to_string(root.join("webhook/metrics.rs")).expect("a source");
    let (own, prefixed) = webhooks
        .split_once("sub_registry_with_prefix")
        .expect("a registry");
    source += own;
    let start = ".register(\n            \"";
    source += &prefixed.replace(start, &format!("{start}controller_runtime_webhook_"));
    let world = project();
    let metrics = metrics(&world);
    assert!(metrics.len() > 30, "{metrics:?}");
    for metric in &metrics {
        let ends = ["_total", "_bucket", "_info"];
        let name = ends
            .iter()
            .find_map(|end| metric.strip_suffix(end))
            .unwrap_or(metric);
        let is_exported = source.contains(&format!("\"{name}\""));
        assert!(
            is_exported || metric == "shop_orders_total",
            "{metric} does not exist"
        );
    }
}

/// Whether Prometheus' own tool is there.
fn has_promtool() -> bool {
    let found = Command::new("promtool")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if found.is_err() {
        eprintln!("skipped: no promtool");
    }
    found.is_ok()
}

/// An operator without a leader is alerted in its namespace, also beside one that has a leader; and where there never was
/// one.
#[test]
fn a_missing_leader_is_one_of_its_namespace() {
    let world = project();
    let groups = groups(&world);
    let rule = &groups[0]["rules"][0];
    assert_eq!(rule["alert"], "OperatorNoLeader");
    let query = rule["expr"].as_str().expect("a query");
    assert!(query.contains("unless on (namespace, job)"), "{query}");
    if !has_promtool() {
        return;
    }
    let lease = query.split('"').nth(3).expect("a lease");
    let labels = |namespace: &str| format!("namespace=\"{namespace}\", job=\"m\", pod=\"p\"");
    let series = |namespace: &str, values: &str| {
        [("operator_build_info", "app-operator"), ("leader_election_master_status", lease)].map(
            |(metric, name)| {
                serde_json::json!({
                    "series": format!("{metric}{{name=\"{name}\", {}}}", labels(namespace)), "values": values,
                })
            },
        )
    };
    let alert = |namespace: Option<&str>| {
        let (mut labels, mut place) = (rule["labels"].clone(), String::new());
        if let Some(namespace) = namespace {
            labels["namespace"] = namespace.into();
            labels["job"] = "m".into();
            place = format!(" in the namespace {namespace}");
        }
        let summary = format!("No replica of app-operator is the leader{place}");
        let description = &rule["annotations"]["description"];
        let annotations = serde_json::json!({ "summary": summary, "description": description });
        serde_json::json!({ "exp_labels": labels, "exp_annotations": annotations })
    };
    let test = |series: &[Value], alerts: &[Value]| {
        serde_json::json!({
            "interval": "1m", "input_series": series, "alert_rule_test": [
                { "eval_time": "20m", "alertname": "OperatorNoLeader", "exp_alerts": alerts },
            ],
        })
    };
    let (gone, there) = (series("a", "1x5 _x60"), series("b", "1x65"));
    let tests = serde_json::json!({
        "rule_files": ["rules.json"], "evaluation_interval": "1m", "tests": [
            test(&there, &[]),
            test(&[&gone[..], &there[..]].concat(), &[alert(Some("a"))]),
            test(&gone, &[alert(Some("a"))]),
            test(&[], &[alert(None)]),
            // Without an election, there is no leader.
            test(&there[..1], &[]),
        ],
    });
    let rules = serde_json::json!({ "groups": groups });
    world.write("rules.json", &rules.to_string());
    world.write("tests.json", &tests.to_string());
    let mut command = Command::new("promtool");
    let path = world.path().join("tests.json");
    world.run(command.args(["test", "rules"]).arg(path)).ok();
}

/// Prometheus' own tool takes the rules, and the queries of the dashboards.
#[test]
fn prometheus_takes_all_queries() {
    if !has_promtool() {
        return;
    }
    let world = project();
    let mut groups = groups(&world);
    let queries = queries(&world).into_iter();
    let queries = queries.filter(|query| !query.starts_with("label_values"));
    let records = queries.enumerate().map(|(number, query)| {
        let query = query.replace("$__rate_interval", "5m");
        serde_json::json!({ "record": format!("panel:{number}"), "expr": query })
    });
    let records: Vec<_> = records.collect();
    groups.push(serde_json::json!({ "name": "panels", "rules": records }));
    let rules = serde_json::json!({ "groups": groups });
    world.write("rules.json", &rules.to_string());
    let mut command = Command::new("promtool");
    let path = world.path().join("rules.json");
    world.run(command.args(["check", "rules"]).arg(path)).ok();
}
