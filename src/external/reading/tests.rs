//! Files as people have them, and CRDs that an API server rejects.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::*;

const WIDGET: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: widgets.example.org
spec:
  group: example.org
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema: {type: object}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema: {type: object, description: newer}
";

fn read(text: &str, kind: &str, version: Option<&str>) -> Result<Definition> {
    let named = Named {
        group: "example.org".into(),
        kind,
        version,
    };
    Definition::read(text, "widget.yaml", &named)
}

/// The error of a text, its causes and hints behind each other.
fn error(text: &str) -> String {
    let error = read(text, "Widget", None).expect_err(text);
    let mut message = error.chain().collect::<Vec<_>>().join(": ");
    for hint in error.hints() {
        let _ = write!(message, "\nhint: {hint}");
    }
    message
}

#[test]
fn the_stored_version_is_taken_if_none_is_named() {
    let definition = read(WIDGET, "Widget", None).expect("a CRD");
    assert_eq!(
        (&*definition.version, definition.is_namespaced),
        ("v1", true)
    );
}

/// What kubectl reads, rop reads.
#[test]
fn a_file_may_have_many_forms() {
    let json =
        serde_json::to_string(&yaml::from_str::<Value>(WIDGET).expect("YAML")).expect("JSON");
    let typed = json.replacen(
        "{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",",
        "{",
        1,
    );
    assert_ne!(typed, json);
    for text in [
        format!("kind: Pod\n---\n{WIDGET}---\n"),
        format!("--- # Source: a.yaml\nkind: Pod\n--- # Source: b.yaml\n{WIDGET}"),
        format!("---\r\n{}", WIDGET.replace('\n', "\r\n")),
        format!("\u{feff}{WIDGET}"),
        format!("%YAML 1.1\n---\n{WIDGET}...\n%YAML 1.2\n---\nkind: Pod\n...\n"),
        format!("--- {json}\n--- {{kind: Pod}}\n"),
        format!("{json}\n{{\"kind\": \"Pod\"}}"),
        format!("{{\"kind\": \"Pod\"}}{json}"),
        format!("\n\t{json}\n---\nkind: Pod\n"),
        format!("\u{feff}{json}"),
        format!("# {{{{ template }}}}\n{WIDGET}"),
        format!(
            "{{\"kind\":\"List\",\"apiVersion\":\"v1\",\"items\":[{{\"kind\":\"Pod\"}},{json}]}}"
        ),
        format!(
            "{{\"kind\":\"CustomResourceDefinitionList\",\"apiVersion\":\"apiextensions.k8s.io/v1\",\"items\":[{typed}]}}"
        ),
        // Other documents may be malformed.
        format!("a: [\n---\n{WIDGET}"),
        format!("{WIDGET}---\na: b: c\n"),
        format!("? {{a: b}}\n: c\n---\n{WIDGET}"),
        // A CRD for old clusters may be beside it.
        format!("{WIDGET}---\n{}", WIDGET.replace("io/v1", "io/v1beta1")),
        WIDGET.replace("{type: object}", "&schema\n        type: object"),
    ] {
        let definition = read(&text, "Widget", None)
            .map_err(|e| e.chain().collect::<Vec<_>>())
            .unwrap_or_else(|error| panic!("{error:?}\n{text}"));
        assert_eq!(definition.plural, "widgets", "{text}");
    }
}

#[test]
fn what_is_malformed_is_named_with_the_line_of_the_file() {
    let crds = Crds::read(
        &format!("kind: Pod\n---\n{WIDGET}---\na: [\n"),
        "widget.yaml",
    );
    let unreadable: Vec<String> = crds.expect("a CRD").unreadable().collect();
    assert_eq!(
        unreadable,
        ["a part of `widget.yaml` is not YAML: line 23, column 4: unclosed bracket '['"]
    );
    for (text, message) in [
        (
            "kind: Pod\n---\na: [\n".to_owned(),
            "`widget.yaml` is not YAML: line 3, column 4: unclosed bracket '['",
        ),
        (
            "{\"kind\": \"Pod\"}\n\n{\"kind\": \n".to_owned(),
            "`widget.yaml` is not YAML: line 3, column 1: unclosed bracket '{'",
        ),
        (
            format!(
                "kind: Pod\n---\na: {}1{}\n",
                "[".repeat(600),
                "]".repeat(600)
            ),
            "`widget.yaml` is not YAML: line 3, column 505: nested more than 500 levels deep",
        ),
        (
            format!(
                "{{\"kind\": \"Pod\"}}\n{{\"a\": {}1{}}}",
                "[".repeat(600),
                "]".repeat(600)
            ),
            "`widget.yaml` is not YAML: line 2, column 507: nested more than 500 levels deep",
        ),
        (
            "a: .nan\n".to_owned(),
            "`widget.yaml` is not YAML: line 1, column 4: `.nan` is not a number that JSON has",
        ),
        (
            "a: &a [*a]\n".to_owned(),
            "`widget.yaml` is not YAML: line 1, column 8: an alias contains itself",
        ),
        (
            "{{- if .Values.crds }}\nkind: CustomResourceDefinition\n{{- end }}\n".to_owned(),
            "`widget.yaml` is not YAML: line 1, column 3: \"-\" is only valid inside a block\n\
             hint: it is a template of a Helm chart: render it first, with `helm template CHART > FILE`",
        ),
        (
            WIDGET.replace(
                "metadata:\n",
                "metadata:\n  labels:\n    release: '{{ .Release }}'\n",
            ),
            "invalid CustomResourceDefinition widgets.example.org in `widget.yaml`: \
             `metadata.labels.release` is `\"{{ .Release }}\"`: only letters, digits, `-`, `_` \
             and `.` are allowed, not '{'\n\
             hint: it is a template of a Helm chart: render it first, with `helm template CHART > FILE`",
        ),
    ] {
        assert_eq!(error(&text), message);
    }
}

/// A thousand million laughs.
#[test]
fn aliases_are_limited() {
    let mut text = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n".to_owned();
    for level in 1..10 {
        let alias = format!("*a{}, ", level - 1).repeat(9);
        let _ = writeln!(text, "a{level}: &a{level} [{alias}]");
    }
    let message = error(&text);
    assert!(
        message.ends_with("aliases expand to more than 100000 values"),
        "{message}"
    );
}

#[test]
fn large_files_are_read() {
    let schema = format!("{{type: object, enum: [{}]}}", "1, ".repeat(300_000));
    let text = WIDGET.replacen("{type: object}", &schema, 1);
    assert!(read(&text, "Widget", None).is_ok());
    let long = format!("{WIDGET}#{}", " ".repeat(LONGEST));
    assert!(error(&long).contains("is too large: at most 16 MiB"));
}

/// Numbers and booleans are those that a cluster gets of kubectl.
#[test]
fn words_without_quotes_are_read_as_kubectl_reads_them() {
    let schema = "{type: object, x-a: [0644, yes, off, 2024-01-01, 1.0, \"0644\", 'on', !!str 5, \
                  {on: 1, <<: {a: 1}}]}";
    let text = WIDGET.replacen("{type: object}", schema, 1);
    let definition = read(&text, "Widget", None).expect("a CRD");
    assert_eq!(
        definition.schema["x-a"],
        json!([420, true, false, "2024-01-01", 1, "0644", "on", "5", {"true": 1, "a": 1}])
    );
}

#[test]
fn what_a_file_does_not_define_is_refused() {
    for (text, kind, version, message, hint) in [
        (
            "kind: Pod\n",
            "Widget",
            None,
            "`widget.yaml` contains no CustomResourceDefinition, but Pod",
            "pass a file with CustomResourceDefinitions",
        ),
        (
            "",
            "Widget",
            None,
            "`widget.yaml` contains no CustomResourceDefinition",
            "pass a file with CustomResourceDefinitions",
        ),
        (
            "just words\n",
            "Widget",
            None,
            "`widget.yaml` contains no CustomResourceDefinition",
            "pass a file with CustomResourceDefinitions",
        ),
        (
            WIDGET,
            "Gadget",
            None,
            "`widget.yaml` does not define the kind example.org Gadget",
            "it defines example.org Widget",
        ),
        (
            WIDGET,
            "Widget",
            Some("v3"),
            "example.org Widget has no version `v3` in `widget.yaml`",
            "use one of its versions: v1, v2",
        ),
        (
            &WIDGET.replace("io/v1", "io/v1beta1"),
            "Widget",
            None,
            "invalid CustomResourceDefinition widgets.example.org in `widget.yaml`: its apiVersion is \
             `apiextensions.k8s.io/v1beta1`, which Kubernetes serves no more",
            "look for a release of the CRD in `apiextensions.k8s.io/v1`",
        ),
    ] {
        let error = read(text, kind, version).expect_err(message);
        assert_eq!(error.chain().collect::<Vec<_>>(), [message]);
        let first = error.hints().first().map(String::as_str);
        assert_eq!(first.unwrap_or_default(), hint, "{message}");
    }
}

/// CRDs, each with a change, and whether Kubernetes 1.37 takes it. A test compares it with a real API server too.
const VERDICTS: &str = include_str!("verdicts.json");

/// What an API server takes is taken, and what it rejects is refused with the path and the rule: but for what needs
/// the rules of values, which are not the names and the types of fields.
#[test]
fn what_an_api_server_rejects_is_refused() {
    let verdicts: Vec<Value> = serde_json::from_str(VERDICTS).expect("JSON");
    let mut refused = String::new();
    for verdict in &verdicts {
        let mut crd = changed(verdict);
        let found = validity::check(&mut crd);
        let is_taken = verdict["taken"] == true;
        let is_alike = found.is_ok() == is_taken;
        assert_eq!(is_alike, verdict["differs"] != true, "{verdict}: {found:?}");
        if let Err(fault) = found {
            let _ = writeln!(refused, "{} {}", fault.path, fault.rule);
        }
    }
    insta::with_settings!({ snapshot_path => "../../../snapshots" }, {
        insta::assert_snapshot!(refused);
    });
}

/// A CRD with the changes of a verdict.
fn changed(verdict: &Value) -> Value {
    let mut crd: Value = yaml::from_str(WIDGET).expect("YAML");
    crd["spec"]["versions"] = json!([{
        "name": "v1", "served": true, "storage": true,
        "schema": { "openAPIV3Schema": {
            "type": "object",
            "properties": {
                "spec": { "type": "object", "properties": { "f": { "type": "string" } } }
            }
        }}
    }]);
    for (path, value) in verdict["set"].as_object().expect("changes") {
        let value = match value.as_str() {
            Some("KIND") => json!("Widget"),
            _ => value.clone(),
        };
        let (parent, key) = path.rsplit_once('/').expect("a path");
        match crd.pointer_mut(parent).expect(path) {
            Value::Array(items) if key == "1" => items.push(value),
            Value::Array(items) => items[0] = value,
            parent => parent[key] = value,
        }
    }
    crd
}

#[test]
fn what_is_unreadable_is_told_in_a_few_lines() {
    let text = format!("{WIDGET}{}", "---\n[\n".repeat(20_000));
    let crds = Crds::read(&text, "widget.yaml").expect("a CRD");
    let notes: Vec<_> = crds.unreadable().collect();
    assert_eq!(notes.len(), 5);
    assert_eq!(
        notes[4],
        "and 19996 more parts of `widget.yaml` are not YAML"
    );
    let named = Named {
        group: "a".into(),
        kind: "B",
        version: None,
    };
    let error = crds.definition(&named).expect_err("no such kind");
    assert_eq!(error.hints().len(), 6);
}

#[test]
fn many_kinds_are_found_in_one_go() {
    let text: String = (0..10_000)
        .map(|n| format!("---\n{}", WIDGET.replace("Widget", &format!("Widget{n}"))))
        .collect();
    let crds = Crds::read(&text, "widget.yaml").expect("CRDs");
    let kinds = crds.kinds();
    assert_eq!(kinds.len(), 10_000);
    assert_eq!(kinds[9_999].1, "Widget9999");
}

/// kubectl would apply the last one alone.
#[test]
fn documents_without_a_line_between_them_are_refused() {
    let gadget = WIDGET
        .replace("Widget", "Gadget")
        .replace("widget", "gadget");
    let lines = WIDGET.lines().count();
    let message = error(&format!("# widgets\n{WIDGET}# gadgets\n{gadget}"));
    let line = lines + 3;
    assert_eq!(
        message,
        format!(
            "`widget.yaml` is not YAML: line {line}, column 1: duplicate key `apiVersion`: separate two documents with `---`"
        )
    );
    // What else there is counts.
    let text = format!("{WIDGET}{WIDGET}---\n{gadget}");
    read(&text, "Gadget", None).expect("the other document");
    let line = lines + 1;
    let message = format!("line {line}, column 1: duplicate key `apiVersion`");
    assert!(error(&text).contains(&message), "{}", error(&text));
    read(&format!("{WIDGET}---\n{gadget}"), "Gadget", None).expect("two documents");
}

/// Elsewhere the last of two counts, as it does for kubectl.
#[test]
fn of_two_keys_the_last_counts() {
    let text = WIDGET.replace("{type: object}", "{type: string, type: object}");
    read(&text, "Widget", None).expect("a CRD");
}
