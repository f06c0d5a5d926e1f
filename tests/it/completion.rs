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
