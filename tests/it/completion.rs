use crate::support::World;

#[test]
fn every_shell_has_a_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let outcome = World::new().rop(&format!("completion {shell}")).ok();
        assert!(outcome.stdout.contains("create"), "{outcome}");
        assert!(outcome.stderr.is_empty(), "{outcome}");
    }
}

#[test]
fn bash_takes_its_script() {
    let world = World::new();
    let script = world.rop("completion bash").ok().stdout;
    world.write("rop.bash", &script);
    let check = "source ./rop.bash && complete -p rop";
    let mut bash = std::process::Command::new("bash");
    world
        .run(bash.args(["-c", check]).current_dir(world.path()))
        .ok()
        .says("_rop");
}

/// What is taken for the sake of old scripts is not offered.
#[test]
fn flags_without_effect_are_not_offered() {
    for shell in ["bash", "zsh", "fish"] {
        let script = World::new().rop(&format!("completion {shell}")).ok().stdout;
        for flag in ["domain", "dry-run", "finalizer", "version"] {
            assert!(script.contains(flag), "{shell}: {flag}");
        }
        for flag in [
            "skip-go-version-check",
            "fetch-deps",
            "project-version",
            "plugins",
        ] {
            assert!(!script.contains(flag), "{shell}: {flag}");
        }
    }
}
