//! Bundles from a registry: what is pulled, and what is not.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use super::refused::bundled;
use crate::in_out::rop;
use crate::olm::api_server::with_olm;
use crate::support::World;

/// A registry with one image of one layer, whatever is asked for.
pub(in crate::olm) fn registry(layer: Vec<u8>) -> String {
    registry_with(layer, "{}")
}

/// The same, of an image with a configuration.
pub(in crate::olm) fn registry_with(layer: Vec<u8>, configuration: &str) -> String {
    let digest = |data: &[u8]| {
        let digits = Sha256::digest(data);
        let digits: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("sha256:{digits}")
    };
    let blob = |data: &[u8], kind: &str| {
        let media_type = format!("application/vnd.oci.image.{kind}");
        json!({"mediaType": media_type, "digest": digest(data), "size": data.len()})
    };
    let configuration = configuration.as_bytes().to_vec();
    let manifest = json!({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": blob(&configuration, "config.v1+json"), "layers": [blob(&layer, "layer.v1.tar+gzip")],
    });
    let config = digest(&configuration);
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let host = listener.local_addr().expect("an address").to_string();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let length = stream.read(&mut request).unwrap_or(0);
            let request = String::from_utf8_lossy(&request[..length]).into_owned();
            let body = if request.contains(&format!("/blobs/{config}")) {
                configuration.clone()
            } else if request.contains("/blobs/") {
                layer.clone()
            } else {
                manifest.to_string().into_bytes()
            };
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream
                .write_all(head.as_bytes())
                .and_then(|()| stream.write_all(&body));
        }
    });
    host
}

/// A layer with files, links and sizes that entries only say they have.
pub(in crate::olm) fn layer(entries: &[(&str, EntryType, &[u8])]) -> Vec<u8> {
    let mut archive = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, sort, data) in entries {
        let mut header = Header::new_gnu();
        // `set_path` refuses paths that lead out.
        let field = &mut header.as_old_mut().name;
        field[..name.len()].copy_from_slice(name.as_bytes());
        header.set_entry_type(*sort);
        header.set_size(data.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        archive.append(&header, *data).expect("an entry");
    }
    archive
        .into_inner()
        .and_then(GzEncoder::finish)
        .expect("a layer")
}

/// The layer of the bundle of a project.
pub(in crate::olm) fn bundle(world: &World) -> Vec<u8> {
    let files = world.tree();
    let files = files.iter().filter_map(|(path, text)| {
        let path = path.strip_prefix("bundle/")?;
        Some((path, EntryType::Regular, text.as_bytes()))
    });
    layer(&files.collect::<Vec<_>>())
}

#[test]
fn a_bundle_is_pulled_to_be_read() {
    let Some(plane) = with_olm() else {
        return;
    };
    let world = bundled();
    let host = registry(bundle(&world));
    let line = format!("run bundle {host}/bundle:v1 --timeout 1s");
    rop(&world, &plane, &line)
        .exits(1)
        .says("until the catalog's pod");
    let maps = plane.api().get("/api/v1/namespaces/default/configmaps");
    let mut maps = maps["items"].as_array().expect("ConfigMaps").iter();
    let catalog = maps.find_map(|map| map["data"]["catalog.json"].as_str());
    let catalog = catalog.expect("a catalog");
    assert!(catalog.contains(&format!("{host}/bundle:v1")), "{catalog}");
    // OLM reads the manifests from the image.
    assert!(!catalog.contains("olm.bundle.object"), "{catalog}");
}

#[test]
fn images_that_are_no_bundles() {
    let world = World::new();
    let file = EntryType::Regular;
    let large = vec![b' '; 80 << 20];
    let noise: Vec<u8> = (0..20_u32 << 20)
        .map(|index| index.wrapping_mul(2_654_435_761).to_be_bytes()[1])
        .collect();
    let images: [Vec<(&str, EntryType, &[u8])>; 6] = [
        vec![],
        vec![("configs/a.yaml", file, b"a: b")],
        vec![
            ("manifests/../../../evil", file, b"x"),
            ("../metadata/evil", file, b"x"),
        ],
        vec![
            ("manifests/link", EntryType::Symlink, b""),
            ("metadata/x", EntryType::Link, b""),
        ],
        vec![("manifests/large.yaml", file, &large)],
        vec![("manifests/noise.yaml", file, &noise)],
    ];
    for entries in &images {
        let host = registry(layer(entries));
        let outcome = world.rop(&format!("run bundle {host}/bundle:v1")).exits(1);
        let is_refused = ["unreadable-file", "invalid-bundle", "malformed-file"]
            .iter()
            .any(|code| outcome.stderr.contains(&format!("error[{code}]")));
        assert!(is_refused, "{outcome}");
    }
    assert!(world.tree().is_empty());
}
