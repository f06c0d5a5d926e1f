//! Texts of the user's that look like something of YAML's, of Helm's, or of rop's own.

use super::helm::Helm;
use crate::support::World;

const CRD: &str = "config/crd/bases/app.example.com_appservices.yaml";

#[test]
fn texts_arrive_as_they_are() {
    let Some(helm) = Helm::find() else {
        return;
    };
    let world = World::with_api();
    world.replace(
        "config/manager/manager.yaml",
        "kubectl.kubernetes.io/default-container: manager",
        "kubectl.kubernetes.io/default-container: manager\n        note: CHECK INDENTATION\n        line: \"\\n\"",
    );
    let crd = world.read(CRD);
    world.write(
        CRD,
        &crd.replacen("description: ", "description: 0 means ", 1),
    );
    world.rop("generate chart").ok();
    let objects = helm.objects(&world, &[]);
    let find = |kind: &str| {
        let mut all = objects.iter();
        all.find(|object| object["kind"] == kind).expect(kind)
    };
    let annotations = &find("Deployment")["spec"]["template"]["metadata"]["annotations"];
    assert_eq!(annotations["note"], "CHECK INDENTATION");
    assert_eq!(annotations["line"], "\n");
    let text = find("CustomResourceDefinition").to_string();
    assert!(text.contains("\"description\":\"0 means "), "{text}");
}

/// The host of a Service follows the release wherever a text has it; what else has a name of `config/` is noted.
#[test]
fn hosts_in_texts_follow_the_release() {
    let world = World::with_api();
    let host = "app-operator-metrics-service.app-operator-system.svc";
    world.write(
        "config/default/mine.yaml",
        &format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\n  namespace: system\ndata:\n  \
             url: https://{host}:8443/metrics\n  other: my-{host}\n  text: |\n    a {{{{ b }}}}\n    {host}.cluster.local\n"
        ),
    );
    world.write(
        "config/default/batch.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: side\n  namespace: system\nspec:\n  selector: \
         {matchLabels: {app: side}}\n  template:\n    metadata: {labels: {app: side}}\n    spec:\n      containers:\n      \
         - name: side\n        image: side:v1\n        args: [--namespace=app-operator-system]\n",
    );
    world.replace(
        "config/default/kustomization.yaml",
        "- ../crd\n",
        "- ../crd\n- mine.yaml\n- batch.yaml\n",
    );
    let outcome = world.rop("generate chart").ok();
    let outcome = outcome
        .says(
            "note: `templates/extras/side.yaml` has names such as `app-operator-system` as text in \
             `spec.template.spec.containers[0].args[0]`: they stay the same if the release",
        )
        .says("`templates/extras/mine.yaml` has names such as `app-operator-system` as text in `data.other`: ")
        .says("`nodeSelector` and `tolerations`, do not apply to Deployment side, which has");
    assert_eq!(outcome.stderr.matches("note: ").count(), 3, "{outcome}");
    let Some(helm) = Helm::find() else {
        return;
    };
    let objects = helm.objects(
        &world,
        &["--namespace", "ops", "--set", "fullnameOverride=x"],
    );
    let map = objects.iter().find(|object| object["kind"] == "ConfigMap");
    let data = &map.expect("a ConfigMap")["data"];
    let new = "x-metrics-service.ops.svc";
    assert_eq!(data["url"], format!("https://{new}:8443/metrics"));
    assert_eq!(data["other"], format!("my-{host}"));
    assert_eq!(
        data["text"],
        format!("a {{{{ b }}}}\n{new}.cluster.local\n")
    );
}

/// A patch that takes kubectl is named with the line for which it does, also one in a file.
#[test]
fn the_line_of_a_patch_is_named() {
    let world = World::with_api();
    let kustomization = "config/default/kustomization.yaml";
    let text = world.read(kustomization);
    let place = "patch 1 in `config/default`";
    for (patch, reason) in [
        (
            "metadata:\n  annotations:\n    text: {{ hello }}\n",
            format!("{place}: line 3"),
        ),
        (
            "- op: add\n  path: /metadata/annotations\n  value: {a: '{{ if on }}'}\n",
            format!(
                "{place}: line 3: kustomize may take a word in `value: {{a: '{{{{ if on }}}}'}}`"
            ),
        ),
        (
            "metadata:\n  annotations:\n    mode: 0644\n",
            "`config/default/patch.yaml`: line 3: not all readers of YAML take `mode: 0644`"
                .to_owned(),
        ),
    ] {
        let generate = |patch: &str| {
            let list = format!("{text}patches:\n- target: {{kind: Deployment}}\n  {patch}\n");
            world.write(kustomization, &list);
            let mut command = world.command(".");
            command.env("KUBECTL", "/nonexistent/kubectl");
            world.run(command.args(["generate", "chart"])).exits(1)
        };
        world.write("config/default/patch.yaml", patch);
        generate("path: patch.yaml").says(&reason);
        let indented = patch.trim_end().replace('\n', "\n    ");
        let (_, what) = reason.split_once(" line 3").expect("a line");
        generate(&format!("patch: |-\n    {indented}")).says(what);
    }
}

/// What stands for names while a chart is made must not be there before.
#[test]
fn marks_are_refused() {
    let world = World::with_api();
    let crd = world.read(CRD);
    for mark in ["\u{E000}", "\u{E001}"] {
        let text = crd.replacen("description: ", &format!("description: {mark}"), 1);
        world.write(CRD, &text);
        let outcome = world.rop("generate chart").exits(1);
        outcome.says("appservices.app.example.com").says("U+E000");
    }
}

/// Where readers of YAML disagree, the line is named.
#[test]
fn the_line_that_is_not_rendered_is_named() {
    let world = World::with_api();
    world.write(CRD, &(world.read(CRD) + "  # end\nx-mode: 0644\n"));
    let lines = world.read(CRD).lines().count();
    let mut command = world.command(".");
    command.env("KUBECTL", "/nonexistent/kubectl");
    let outcome = world.run(command.args(["generate", "chart"])).exits(1);
    outcome
        .says(&format!("`{CRD}`: line {lines}"))
        .says("`x-mode: 0644`");
}
