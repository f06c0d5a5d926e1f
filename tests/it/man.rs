use std::process::Command;

use rop::plan::File;

use crate::support::World;

#[test]
fn a_command_has_a_page() {
    let world = World::new();
    let page = world.rop("man create api").ok().stdout;
    assert!(page.contains(".TH rop-create-api 1"), "{page}");
    // The description, flags and examples of the help.
    for part in [
        "starts as a copy of the newest version",
        "\\-\\-finalizer",
        "Examples:",
    ] {
        assert!(page.contains(part), "no {part} in {page}");
    }
    let page = world.rop("man").ok().stdout;
    assert!(page.contains(".TH rop 1"), "{page}");
    assert!(page.contains("rop\\-create(1)"), "{page}");
    for command in ["man", "man create"] {
        let page = world.rop(command).ok().stdout;
        assert!(!page.contains("\\-help(1)"), "{page}");
    }
    world
        .rop("man create nothing")
        .exits(2)
        .says("error[unsupported]: unknown command `create nothing`");
    world.rop("man create --output man").exits(2);
}

/// Each command that the help lists has a page, and no other.
#[test]
fn all_pages_are_written() {
    fn walk(command: &clap::Command, name: &str, names: &mut Vec<String>) {
        names.push(format!("{name}.1"));
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            walk(sub, &format!("{name}-{}", sub.get_name()), names);
        }
    }
    let mut names = Vec::new();
    walk(&rop::cli::command(), "rop", &mut names);
    names.sort();
    let world = World::new();
    world.rop("man --output share/man1").ok();
    let tree = world.tree();
    let files: Vec<_> = tree
        .keys()
        .filter_map(|path| path.strip_prefix("share/man1/"))
        .collect();
    assert_eq!(files, names);
    world.rop("man --output share/man1").did_nothing();
}

/// A page of another release is replaced, and what is not rop's stays.
#[test]
fn an_edited_page_is_kept() {
    let world = World::new();
    let write = |flags: &str| world.rop(&format!("man --output man1{flags}"));
    write("").ok();
    let tree = world.tree();
    world.write("man1/other.1", "other\n");
    let last = File::owned("man1/rop.1", "old\n".to_owned());
    world.write("man1/rop.1", last.text());
    write("").ok().says("man1/rop.1");
    assert_eq!(world.read("man1/rop.1"), tree["man1/rop.1"]);
    let edited = format!("{}Ours.\n", tree["man1/rop.1"]);
    for (page, reason) in [
        (&*edited, "is generated but was edited by hand"),
        ("ours\n", "already exists"),
    ] {
        world.write("man1/rop.1", page);
        let refused = write("").exits(1).says("error[files-in-the-way]");
        refused
            .says(&format!("man1/rop.1 {reason}"))
            .says("--force");
        assert_eq!(world.read("man1/rop.1"), page);
    }
    write(" --force").ok();
    assert_eq!(world.read("man1/rop.1"), tree["man1/rop.1"]);
    assert_eq!(world.read("man1/other.1"), "other\n");
}

/// man and groff have no complaint, where they are installed.
#[test]
fn pages_are_roff() {
    let world = World::new();
    world.rop("man --output pages").ok();
    let mut groff = Command::new("groff");
    let groff = groff
        .args(["-man", "-Tascii", "-ww", "rop.1", "rop-create-api.1"])
        .current_dir(world.path().join("pages"));
    if let Ok(output) = groff.output() {
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.is_empty(), "{said}");
    }
}
