//! What rop tells engines, as they take it. `real` has a Dockerfile that takes longer.

use super::store::Store;
use super::{Quick, digest, inspect};
use crate::support::registry::Real;
use crate::support::tools::tools;

const DOCKERFILE: &str = "FROM scratch
ARG WORD
LABEL word=$WORD
COPY Cargo.toml /
ENTRYPOINT [\"/manager\"]
";

#[test]
fn buildah() {
    does_as_it_is_told("buildah");
}

#[test]
fn podman() {
    does_as_it_is_told("podman");
}

#[track_caller]
fn does_as_it_is_told(engine: &str) {
    let (Some(registry), Some([_, buildah, _])) =
        (Real::start(), tools([engine, "buildah", "skopeo"]))
    else {
        return;
    };
    let (quick, store) = (Quick::new(), Store::new(&buildah, &[]));
    quick.world.write("Dockerfile", DOCKERFILE);
    let image = format!("{}/example/app-operator", registry.host());
    let rop = |arguments: &str| {
        let mut command = quick.command(&format!("build --engine {engine} {image} {arguments}"));
        // Podman and buildah want a file there.
        command.env_remove("DOCKER_CONFIG").envs(store.settings());
        quick.world.run(&mut command).ok()
    };

    let pushed = rop("--push --insecure --tag v1 --tag v2 --label of=test --build-arg WORD=one");
    for tag in ["v1", "v2"] {
        let found = inspect(&format!("docker://{image}:{tag}"), &[]).expect("skopeo");
        assert_eq!(found["Digest"], *digest(&pushed), "{tag}");
        assert_eq!(found["Created"], "2023-11-14T22:13:20Z");
        let labels = &found["Labels"];
        assert_eq!(
            (&labels["of"], &labels["word"]),
            (&"test".into(), &"one".into())
        );
        assert_eq!(labels["org.opencontainers.image.title"], "app-operator");
    }
    for output in [
        "oci:out",
        "oci-archive:out.oci",
        "docker-archive:out.docker",
    ] {
        rop(&format!("--platform linux/arm64 --output {output}"));
        let (form, name) = output.split_once(':').expect("a form");
        let path = quick.world.path().join(name);
        let found = inspect(&format!("{form}:{}", path.display()), &[]).expect("skopeo");
        assert_eq!(found["Architecture"], "arm64", "{output}");
    }
}
