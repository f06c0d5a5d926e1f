//! The example of the `AppService`, packaged for OLM.

use std::collections::BTreeMap;
use std::path::Path;

use super::chapter::Chapter;
use crate::examples::is_packaging;
use crate::olm::api_server::with_olm;
use crate::support::World;
use crate::support::registry::Double;
use crate::support::world::tree;

/// The registry in the bundles of the examples.
const REGISTRY: &str = "registry.example.com";

const SUBSCRIPTION: &str =
    "/apis/operators.coreos.com/v1alpha1/namespaces/app-operator-system/subscriptions/app-operator";

/// The files of an example, as they are or as they were before somebody packaged it.
fn example(is_packaged: bool) -> BTreeMap<String, String> {
    let mut files = tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/appservice"));
    // The icon is not in the chapter: a reader has one.
    files.retain(|path, _| is_packaged || !is_packaging(path) || path.ends_with(".svg"));
    files
}

#[test]
fn every_step_does_what_the_chapter_says() {
    let (world, registry) = (World::new(), Double::start());
    for (path, text) in example(false) {
        world.write(&path, &text);
    }
    let mut chapter = Chapter::new("operatorhub.md", &world).with_registry(&registry.host());
    chapter.run_through("Validate");
    is_the_example(&world, &registry.host());

    chapter.run_through("Create a catalog");
    let pushed = || registry.manifest("app-operator-catalog", "latest");
    let first = pushed().expect("a catalog");
    if let Some(plane) = with_olm() {
        let mut chapter = chapter.with_cluster(&plane);
        chapter.run_through("Install from the catalog");
        assert!(plane.api().get(SUBSCRIPTION).is_object());
        goes_on(chapter);
    } else {
        chapter.leave_out("Install from the catalog");
        goes_on(chapter);
    }
    assert_ne!(pushed().expect("a catalog"), first);
}

fn goes_on(mut chapter: Chapter<'_>) {
    chapter.run_through("Check it in CI");
    chapter.ends();
}

/// The reader has what the example has, but for the registry.
#[track_caller]
fn is_the_example(world: &World, host: &str) {
    let mut made = world.tree();
    made.retain(|path, _| !path.starts_with(".rop/"));
    for text in made.values_mut() {
        *text = text.replace(host, REGISTRY);
    }
    let example = example(true);
    let differ = example.keys().chain(made.keys());
    let differ: Vec<_> = differ
        .filter(|path| made.get(*path) != example.get(*path))
        .collect();
    assert!(
        differ.is_empty(),
        "not as in examples/appservice: {differ:#?}"
    );
}
