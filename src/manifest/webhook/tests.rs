//! From sources to configurations.

use super::*;
use crate::manifest::rbac::own_kinds;

/// A marker that says what it must, but for these keys.
fn marker(but: &[&str]) -> String {
    let whole = "path=/validate-app-example-com-v1-appservice,mutating=false,groups=app.example.com,\
        resources=appservices,verbs=create;update,versions=v1,name=vappservice-v1.kb.io";
    let is_kept = |argument: &&str| {
        let key = argument.split('=').next().unwrap_or_default();
        !but.iter().any(|other| other.split('=').next() == Some(key))
    };
    let kept = whole.split(',').map(str::trim).filter(is_kept);
    let set = but
        .iter()
        .copied()
        .filter(|argument| argument.contains('='));
    kept.chain(set).collect::<Vec<_>>().join(",")
}

fn declare(text: &str) -> Result<Vec<Declaration>> {
    let source = Source {
        path: "src/webhook.rs",
        text,
    };
    declared(&[source], &own_kinds())
}

/// The webhook of a marker, in a configuration.
fn value(but: &[&str]) -> Value {
    let text = format!("// +kubebuilder:webhook:{}", marker(but));
    let declared = declare(&text).expect(&text);
    declared[0].to_value("app-operator-system")
}

/// What is said of a marker.
fn refused(but: &[&str]) -> (String, Vec<String>) {
    let text = format!("// +kubebuilder:webhook:{}", marker(but));
    let error = declare(&text).expect_err(&text);
    (error.chain().collect(), error.hints().to_vec())
}

#[track_caller]
fn says(but: &[&str], message: &str, hint: &str) {
    let expected = format!("src/webhook.rs:1: {message}");
    assert_eq!(refused(but), (expected, vec![hint.to_owned()]), "{but:?}");
}

#[test]
fn a_marker_that_says_no_more_than_it_must_is_safe() {
    assert_eq!(
        value(&[]),
        json!({
            "name": "vappservice-v1.kb.io",
            "admissionReviewVersions": ["v1"],
            "clientConfig": {"service": {
                "name": "webhook-service",
                "namespace": "system",
                "path": "/validate-app-example-com-v1-appservice",
            }},
            "failurePolicy": "Fail",
            "matchPolicy": "Equivalent",
            "rules": [{
                "apiGroups": ["app.example.com"],
                "apiVersions": ["v1"],
                "operations": ["CREATE", "UPDATE"],
                "resources": ["appservices"],
            }],
            "sideEffects": "None",
            "timeoutSeconds": 5,
        })
    );
}

#[test]
fn every_key_has_its_field() {
    for (key, pointer, expected) in [
        ("name=a.b.c", "/name", json!("a.b.c")),
        ("path=/", "/clientConfig/service/path", json!("/")),
        ("serviceName=a", "/clientConfig/service/name", json!("a")),
        (
            "serviceNamespace=a",
            "/clientConfig/service/namespace",
            json!("a"),
        ),
        (
            "servicePort=8443",
            "/clientConfig/service/port",
            json!(8443),
        ),
        ("failurePolicy=ignore", "/failurePolicy", json!("Ignore")),
        ("failurePolicy=Fail", "/failurePolicy", json!("Fail")),
        ("matchPolicy=exact", "/matchPolicy", json!("Exact")),
        (
            "sideEffects=noneOnDryRun",
            "/sideEffects",
            json!("NoneOnDryRun"),
        ),
        ("timeoutSeconds=30", "/timeoutSeconds", json!(30)),
        (
            "verbs=delete;*",
            "/rules/0/operations",
            json!(["*", "DELETE"]),
        ),
        ("versions=*", "/rules/0/apiVersions", json!(["*"])),
        (
            "resources=appservices;appservices/*;people/status",
            "/rules/0/resources",
            json!(["appservices", "appservices/*", "people/status"]),
        ),
        (
            "admissionReviewVersions={v1,v1beta1}",
            "/admissionReviewVersions",
            json!(["v1", "v1beta1"]),
        ),
    ] {
        assert_eq!(value(&[key]).pointer(pointer), Some(&expected), "{key}");
    }
    let url = value(&["path", "url=https://127.0.0.1:9443/a"]);
    assert_eq!(
        url["clientConfig"],
        json!({"url": "https://127.0.0.1:9443/a"})
    );
    let again = value(&["mutating=true", "reinvocationPolicy=ifNeeded"]);
    assert_eq!(again["reinvocationPolicy"], "IfNeeded");
    assert!(value(&["webhookVersions={v1}"]).is_object());
}

/// Kinds of others are wherever the operator and the cluster's own parts are.
#[test]
fn a_webhook_of_foreign_kinds_stays_out_of_the_way_of_the_operator() {
    let pods = ["groups=core", "resources=pods"];
    let selector = json!({"matchExpressions": [{
        "key": "kubernetes.io/metadata.name",
        "operator": "NotIn",
        "values": ["app-operator-system", "kube-system"],
    }]});
    let value = value(&pods);
    assert_eq!(value["rules"][0]["apiGroups"], json!([""]));
    assert_eq!(value["namespaceSelector"], selector);
}

#[test]
fn a_key_that_is_unknown_or_missing_is_told_with_its_line() {
    for (but, message, hint) in [
        (
            &["group=a"][..],
            "unknown key `group`",
            "did you mean `groups`?",
        ),
        (
            &["operations=CREATE"],
            "unknown key `operations`",
            "did you mean `verbs`?",
        ),
        (
            &["mutating"],
            "`mutating` is missing",
            "add `mutating=true` or `mutating=false`",
        ),
        (
            &["path"],
            "`path` is missing",
            "add the path that serves the webhook",
        ),
        (
            &["verbs"],
            "`verbs` is missing",
            "add `verbs=create;update`",
        ),
    ] {
        says(but, message, hint);
    }
}

#[test]
fn what_the_api_server_refuses_is_told() {
    for (but, message, hint) in [
        (
            &["verbs="][..],
            "`verbs` has no value",
            "write `verbs=…`, or remove `verbs`",
        ),
        (
            &["verbs=udpate"],
            "`verbs` cannot be `udpate`",
            "did you mean `UPDATE`?",
        ),
        (
            &["failurePolicy=never"],
            "`failurePolicy` cannot be `never`",
            "valid values are Fail or Ignore",
        ),
        (
            &["sideEffects=Some"],
            "`sideEffects` cannot be `Some`",
            "valid values are None or NoneOnDryRun",
        ),
        (
            &["timeoutSeconds=31"],
            "`timeoutSeconds` cannot be `31`",
            "expected a number from 1 to 30",
        ),
        (
            &["admissionReviewVersions=v1beta1"],
            "`admissionReviewVersions` lacks `v1`",
            "Kubernetes 1.22 removed older versions",
        ),
        (
            &["reinvocationPolicy=Never"],
            "a validating webhook has no `reinvocationPolicy`",
            "remove it, or set `mutating=true`",
        ),
        (
            &["url=https://a"],
            "a webhook cannot have both `url` and `path`",
            "remove `url`: the operator's Service is `webhook-service`",
        ),
    ] {
        says(but, message, hint);
    }
}

#[test]
fn what_does_not_exist_is_told() {
    for (but, message, hint) in [
        (
            &["resources=appservice"][..],
            "unknown resource `appservice` in `app.example.com`",
            "did you mean `appservices`?",
        ),
        (
            &["groups=aps", "resources=deployments"],
            "unknown API group `aps`",
            "did you mean `apps`?",
        ),
        (
            &["versions=v2"],
            "the project has no version `v2` of this kind",
            "use one of its versions: v1",
        ),
    ] {
        says(but, message, hint);
    }
}

#[test]
fn names_paths_and_addresses_are_those_of_the_api_server() {
    for name in ["vappservice", "a.b", "A.b.c", "a..c", "a.b.c-"] {
        let (message, _) = refused(&[&format!("name={name}")]);
        assert!(
            message.ends_with("is not a valid webhook name"),
            "{message}"
        );
    }
    for path in ["a", "/a/", "/A", "/a_b", "//", "/a.b"] {
        let (message, _) = refused(&[&format!("path={path}")]);
        assert!(
            message.ends_with("is not a valid webhook path"),
            "{message}"
        );
    }
    for url in ["http://a", "https://", "https://a?b", "https://a@b"] {
        let (message, _) = refused(&["path", &format!("url={url}")]);
        assert!(message.ends_with("is not a valid webhook URL"), "{message}");
    }
}

#[test]
fn a_name_stands_once_in_a_configuration() {
    let (left, right) = (marker(&[]), marker(&["mutating=true"]));
    let text = |second: &str| format!("// +rop:webhook:{left}\n\n// +rop:webhook:{second}");
    assert_eq!(declare(&text(&right)).expect("two configurations").len(), 2);
    let error = declare(&text(&left)).expect_err("the same name");
    assert_eq!(
        error.chain().collect::<String>(),
        "src/webhook.rs:3: `vappservice-v1.kb.io` is the name of the webhook in src/webhook.rs:1 too"
    );
}

#[test]
fn webhooks_are_sorted_by_name() {
    let [b, a] = ["name=b.b.c", "name=a.b.c"].map(|name| marker(&[name]));
    let text = format!("// +rop:webhook:{b}\n// +rop:webhook:{a}");
    let declared = declare(&text).expect("two webhooks");
    let names: Vec<&str> = declared.iter().map(Declaration::name).collect();
    assert_eq!(names, ["a.b.c", "b.b.c"]);
}
