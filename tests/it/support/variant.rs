//! What projects depend on, in each variant that cargo compiles it in: with the features that a project asks for, and
//! with what its tests need or without it. The library takes longer than all else of a project, so whoever needs a
//! variant first compiles it, and the others wait for that.

use toml_edit::DocumentMut;

use super::World;
use super::shared::Once;
use super::slot::Slot;
use super::turn::slot;

static VARIANTS: Once<String, ()> = Once::new();

/// What a command builds of a project.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part {
    /// The types, and what prints their CRDs.
    Types,
    Program,
    Tests,
}

/// Has `build` compile what the project of `world`, whose turn it is, depends on, or takes what another one has
/// compiled.
pub(super) fn compiled(world: &World, part: Part, build: impl FnOnce()) {
    let Some(dependencies) = dependencies(world) else {
        return;
    };
    let slot = slot(world).expect("it is its turn");
    VARIANTS.get(format!("{dependencies}{part:?}"), || {
        // Two projects whose manifests differ may need the same, and other tests run beside these: one at a time.
        let lock = Slot::first().lock_file_of("variants");
        lock.lock().expect("a turn");
        slot.share_dependencies();
        build();
    });
    slot.share_dependencies();
}

/// What the operator of a project depends on but for its own types.
fn dependencies(world: &World) -> Option<String> {
    let manifest = std::fs::read_to_string(world.path().join("Cargo.toml")).ok()?;
    let mut manifest: DocumentMut = manifest.parse().ok()?;
    let name = manifest["package"]["name"].as_str()?.to_owned();
    let dependencies = manifest["dependencies"].as_table_mut()?;
    dependencies.remove(&format!("{name}-api"));
    Some(dependencies.to_string())
}
