//! What is saved while rop is at work is not overwritten.

use std::path::Path;

use rop::disk::View;
use rop::plan::{self, Ownership, Step};

use super::{another_api, project, tree};
use crate::support::World;

/// Saves a text as editors do: a new file, renamed into place.
fn save(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    let draft = path.with_extension("draft");
    std::fs::write(&draft, text).expect("a draft");
    std::fs::rename(draft, path).expect("saved");
}

/// Runs `edit` at every step of a commit in turn. Until its last file is put in place the commit
/// fails, and takes back all but the edit.
fn edit_at_every_step(path: &str, edit: impl Fn(&Path)) {
    let count = |step: Step| matches!(step, Step::Stage | Step::Journal | Step::Keep | Step::Put);
    let mut refusals = 0;
    for at in 0.. {
        let world = project();
        let before = world.tree();
        let file = world.path().join(path);
        let (mut steps, mut has_edited) = (0, false);
        let result =
            plan::commit_observed(&world.path(), "create api", another_api(), &mut |step| {
                if count(step) {
                    if steps == at {
                        edit(&file);
                        has_edited = true;
                    }
                    steps += 1;
                }
                Ok(())
            });
        if !has_edited {
            break;
        }
        let text = std::fs::read_to_string(&file).expect("a text");
        assert_eq!(text, "mine\n", "edited at step {at}: {result:?}");
        if let Err(error) = result {
            let messages: Vec<_> = error.chain().collect();
            assert_eq!(
                messages,
                [
                    "nothing was written".to_owned(),
                    format!("`{path}` changed while the command ran")
                ]
            );
            let mut after = world.tree();
            after.remove(path);
            let mut before = before;
            before.remove(path);
            assert_eq!(after, before, "edited at step {at}");
            refusals += 1;
        }
    }
    assert!(refusals > another_api().changes.len());
}

#[test]
fn of_a_file_that_is_rewritten() {
    edit_at_every_step("PROJECT", |path| save(path, "mine\n"));
    edit_at_every_step("src/controller/mod.rs", |path| {
        std::fs::write(path, "mine\n").expect("written in place");
    });
}

#[test]
fn of_a_file_that_is_new() {
    edit_at_every_step("src/controller/cache/reconcile.rs", |path| {
        save(path, "mine\n");
    });
}

/// A program that opened the file before the commit and writes into it after.
#[test]
fn through_a_file_that_was_open() {
    use std::io::Write;
    let world = World::new();
    let root = world.path();
    let (before, after) = (
        tree(&[("a.txt", Ownership::Seeded, "one\n")]),
        tree(&[
            ("a.txt", Ownership::Seeded, "two\n"),
            ("b.txt", Ownership::Seeded, "new\n"),
        ]),
    );
    world.write("a.txt", "one\n");
    let view = View::of(&root).expect("a view");
    let plan = plan::plan(&view, &before, &after, false).expect("a plan");
    let mut open = std::fs::OpenOptions::new()
        .append(true)
        .open(root.join("a.txt"))
        .expect("a file");
    let mut puts = 0;
    let result = plan::commit_observed(&root, "test", &plan, &mut |step| {
        if step == Step::Put && puts == 0 {
            // Between the look at the file and its replacement.
            open.write_all(b"mine\n").expect("written");
            puts += 1;
        }
        Ok(())
    });
    result.expect_err("an edit");
    assert_eq!(world.read("a.txt"), "one\nmine\n");
    assert!(!world.tree().contains_key("b.txt"));
}
