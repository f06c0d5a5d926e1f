//! `replacements:` in all their forms, each compared with kubectl.

use super::features::is_known;

/// Where values come from.
const SOURCES: [&str; 14] = [
    "source: {kind: ConfigMap, name: settings, fieldPath: data.host}",
    "source: {kind: ConfigMap, name: my-settings-blue}",
    "source: {kind: ConfigMap, name: settings, fieldPath: data.port}",
    "source: {kind: ConfigMap, name: settings, fieldPath: data.word}",
    "source: {kind: ConfigMap, fieldPath: data.host, options: {delimiter: ., index: 2}}",
    "source: {kind: ConfigMap, fieldPath: 'metadata.annotations.[example.com/place]', options: {delimiter: /, index: 1}}",
    "source: {group: app.example.com, version: v1alpha1, kind: AppService, fieldPath: spec.hosts}",
    "source: {kind: AppService, fieldPath: 'spec.hosts.[name=xy].port'}",
    "source: {kind: AppService, fieldPath: 'spec.hosts.1'}",
    "source: {kind: AppService, fieldPath: spec.on}",
    "source: {kind: AppService, namespace: ops, fieldPath: spec.deep}",
    "source: {kind: Basket, namespace: elsewhere, fieldPath: spec.text}",
    "source: {kind: Namespace}",
    "sourceValue: some-text",
];

/// Where they go.
const TARGETS: [&str; 26] = [
    "{select: {kind: Basket}, fieldPaths: [spec.text]}",
    "{select: {kind: Basket}, fieldPaths: [spec.port]}",
    "{select: {kind: Basket}, fieldPaths: [spec.empty]}",
    "{select: {kind: Basket}, fieldPaths: [spec.new], options: {create: true}}",
    "{select: {kind: Basket}, fieldPaths: [spec.a.b.c], options: {create: true}}",
    "{select: {kind: Basket}, fieldPaths: ['metadata.annotations.[example.com/place]'], options: {delimiter: /, index: 1}}",
    r"{select: {kind: Basket}, fieldPaths: ['metadata.annotations.example\.com/place'], options: {delimiter: /}}",
    "{select: {kind: Basket}, fieldPaths: [spec.text], options: {delimiter: '-', index: -1}}",
    "{select: {kind: Basket}, fieldPaths: [spec.text], options: {delimiter: '-', index: 9}}",
    "{select: {kind: Basket}, fieldPaths: [spec.new], options: {delimiter: '-', index: 9, create: true}}",
    "{select: {kind: AppService}, fieldPaths: ['spec.hosts.[name=x].name']}",
    "{select: {kind: AppService}, fieldPaths: ['spec.hosts.[name=y].name', spec.port]}",
    "{select: {kind: AppService}, fieldPaths: [spec.hosts.0.port, spec.tags.1]}",
    "{select: {kind: AppService}, fieldPaths: [spec.hosts.*.name]}",
    "{select: {kind: AppService}, fieldPaths: [spec.on]}",
    "{select: {kind: AppService}, fieldPaths: [spec.deep]}",
    "{select: {kind: Deployment}, fieldPaths: ['spec.template.spec.containers.[name=manager].image']}",
    "{select: {kind: Deployment}, fieldPaths: ['spec.template.spec.containers.[name=manager].env'], options: {create: true}}",
    "{select: {name: one}, fieldPaths: [metadata.labels.tier]}",
    "{select: {name: one}, reject: [{kind: Basket}], fieldPaths: [metadata.labels.tier]}",
    "{select: {name: one}, reject: [{labelSelector: tier=data}], fieldPaths: [metadata.labels.tier]}",
    "{select: {kind: ConfigMap, namespace: ops}, fieldPaths: [data.word]}",
    "{select: {labelSelector: 'tier=control,size'}, fieldPaths: [data.port]}",
    "{select: {kind: RoleBinding, name: my-leader-election-rolebinding-blue}, fieldPaths: [subjects.0.name]}",
    "{select: {kind: Basket}, fieldPaths: [spec.text.inner]}",
    "{select: {kind: Nothing}, fieldPaths: [spec.text]}",
];

/// All values reach all fields as kubectl lets them, or are left to kubectl.
#[test]
fn each_source_with_each_target() {
    let mut known = 0;
    for (number, source) in SOURCES.into_iter().enumerate() {
        // A quarter of the targets each, since kubectl takes its time.
        for target in TARGETS.into_iter().skip(number % 4).step_by(4) {
            let feature = format!("replacements:\n- {source}\n  targets:\n  - {target}\n");
            known += usize::from(is_known(&feature, &[]));
        }
    }
    assert!(known > 40, "{known}");
}

#[test]
fn files_have_one_or_several() {
    let one = "source: {kind: ConfigMap, name: settings, fieldPath: data.host}\ntargets: [{select: {kind: Basket}, fieldPaths: [spec.text]}]\n";
    let several = format!("- {}", one.replace("\ntargets", "\n  targets"));
    let feature = "replacements: [{path: names.yaml}]\n";
    assert!(is_known(feature, &[("names.yaml", one)]));
    assert!(is_known(feature, &[("names.yaml", &several)]));
    let transformer = format!(
        "apiVersion: builtin\nkind: ReplacementTransformer\nmetadata: {{name: a}}\nreplacements:\n{several}"
    );
    let patch = "---\napiVersion: builtin\nkind: PatchTransformer\nmetadata: {name: a}\ntarget: {kind: ConfigMap}\npatch: '[{\"op\": \"replace\", \"path\": \"/metadata/namespace\", \"value\": \"other\"}]'\n";
    let both = format!("{transformer}{patch}");
    let feature = "transformers: [steps.yaml]\n";
    assert!(is_known(feature, &[("steps.yaml", &both)]));
    let twice = format!("{transformer}---\n{transformer}");
    assert!(!is_known(feature, &[("steps.yaml", &twice)]));
    let other = "apiVersion: builtin\nkind: PrefixTransformer\nmetadata: {name: a}\nprefix: a-\nfieldSpecs: [{path: metadata/name}]\n";
    assert!(!is_known(feature, &[("steps.yaml", other)]));
}

#[test]
fn what_kustomize_may_refuse_is_left_to_it() {
    for replacement in [
        "{source: {kind: Nothing}, targets: [{select: {kind: Basket}, fieldPaths: [spec.text]}]}",
        "{source: {kind: ClusterRole}, targets: [{select: {kind: Basket}, fieldPaths: [spec.text]}]}",
        "{source: {kind: Basket, fieldPath: spec.empty}, targets: [{select: {kind: Basket}, fieldPaths: [spec.text]}]}",
        "{source: {kind: Basket, fieldPath: spec.text}, targets: [{select: {kind: Basket}, fieldPaths: [spec.none]}]}",
        "{source: {kind: Basket, fieldPath: spec.text, options: {delimiter: b, index: 2}}, targets: [{select: {kind: Basket}, fieldPaths: [spec.text]}]}",
        "{source: {kind: Basket}, sourceValue: a, targets: [{select: {kind: Basket}, fieldPaths: [spec.text]}]}",
        // Releases of kustomize differ.
        "{source: {kind: Basket}, targets: [{select: {kind: Bask.*}, fieldPaths: [spec.text]}]}",
        "{path: ../names.yaml}",
        "{path: none.yaml}",
        "{targets: []}",
    ] {
        let feature = format!("replacements: [{replacement}]\n");
        assert!(!is_known(&feature, &[]), "{feature}");
    }
}
