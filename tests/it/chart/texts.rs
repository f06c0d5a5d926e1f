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
