//! Generated objects with the hashes in their names, each compared with kubectl.

use super::features::is_known;

const VARIABLES: &str = "# a comment\n\nA=1\n  B=two words \nC=\nD\nE=a=b\n";

/// A Deployment that uses what is generated.
const USES: &str = "patches:
- target: {kind: Deployment}
  patch: |-
    apiVersion: apps/v1
    kind: Deployment
    metadata: {name: any}
    spec:
      template:
        spec:
          containers:
          - name: manager
            envFrom:
            - configMapRef: {name: generated}
            - secretRef: {name: generated}
";

#[test]
fn generated_objects_get_hashes_that_references_follow() {
    let long = "0123456789".repeat(20);
    let html = "a < b && c > d \u{2028} \u{e9}\n";
    let files = [
        ("a.env", VARIABLES),
        ("a.txt", "one\n  two  \n\nthree\n\n"),
        ("b/c.txt", "no end of line"),
        ("html.txt", &html.replace('\u{2028}', "")),
        ("long.txt", &long),
        ("empty.txt", ""),
    ];
    for arguments in [
        "literals: [a=b, c=\"d e\", \"q='x'\", n=5, t=true, e=]",
        "files: [a.txt, b/c.txt, key=long.txt, html.txt, empty.txt]",
        "envs: [a.env]",
        "env: a.env",
        "literals: [a=b], options: {disableNameSuffixHash: true}",
        "literals: [a=b], options: {immutable: true, labels: {x: a}, annotations: {v: w}}",
        "literals: [a=b], namespace: elsewhere, behavior: create",
        "files: []",
    ] {
        for options in [
            "",
            "generatorOptions: {labels: {x: z, l: m}, annotations: {p: q}}\n",
        ] {
            let feature = format!(
                "configMapGenerator: [{{name: generated, {arguments}}}]\nsecretGenerator: [{{name: generated, {arguments}}}, {{name: typed, type: kubernetes.io/basic-auth, {arguments}}}]\n{USES}{options}"
            );
            assert!(is_known(&feature, &files), "{feature}");
        }
    }
}

#[test]
fn what_is_special_is_left() {
    let files = [
        ("crlf.txt", "a\r\nb\r\n"),
        ("space.txt", "  a\n"),
        ("bom.env", "\u{feff}A=1\n"),
        ("separator.txt", "a\u{2028}b"),
    ];
    for arguments in [
        "behavior: merge, literals: [a=b]",
        "literals: [a]",
        "literals: [a=b, a=c]",
        "files: [crlf.txt]",
        "files: [space.txt]",
        "files: [separator.txt]",
        "files: [none.txt]",
        "files: [../manager/manager.yaml]",
        "files: [a=b=c]",
        "envs: [bom.env]",
        "type: Opaque, literals: [a=b]",
    ] {
        let feature = format!("configMapGenerator: [{{name: generated, {arguments}}}]\n");
        assert!(!is_known(&feature, &files), "{feature}");
    }
    // kubectl reads a boolean.
    assert!(!is_known("commonLabels: {a: y}\n", &[]));
    // There is one of the name.
    assert!(!is_known(
        "configMapGenerator: [{name: settings, namespace: system}]\n",
        &[]
    ));
}
