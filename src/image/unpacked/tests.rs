use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use oci_spec::image::MediaType;
use tar::{Builder, EntryType, Header};
use tempfile::TempDir;
use walkdir::WalkDir;

use crate::image::blob::{Blob, sha256};

use super::archive::{Budget, layer};
use super::tree::Tree;

const FOLDERS: [&str; 3] = ["manifests", "metadata", "custom/"];

/// An entry of a layer: its path, its sort, and its text or what it links to.
type Entry<'a> = (&'a str, EntryType, &'a str);

fn file<'a>(path: &'a str, text: &'a str) -> Entry<'a> {
    (path, EntryType::Regular, text)
}

fn folder(path: &str) -> Entry<'_> {
    (path, EntryType::Directory, "")
}

fn link<'a>(path: &'a str, target: &'a str) -> Entry<'a> {
    (path, EntryType::Symlink, target)
}

fn tar(entries: &[Entry<'_>]) -> Vec<u8> {
    let mut archive = Builder::new(Vec::new());
    for (path, sort, text) in entries {
        let mut header = Header::new_gnu();
        header.set_entry_type(*sort);
        header.set_mode(0o644);
        let added = if sort.is_symlink() || sort.is_hard_link() {
            header.set_size(0);
            archive.append_link(&mut header, path, text)
        } else {
            header.set_size(text.len() as u64);
            archive.append_data(&mut header, path, text.as_bytes())
        };
        added.expect("an entry");
    }
    archive.into_inner().expect("an archive")
}

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).expect("data");
    encoder.finish().expect("a stream")
}

fn zipped(data: Vec<u8>) -> Blob {
    Blob::new(MediaType::ImageLayerGzip, data)
}

/// The files of an image with some layers.
fn unpack(layers: &[Blob]) -> io::Result<BTreeMap<String, String>> {
    let mut tree = Tree::default();
    let mut budget = Budget::default();
    for blob in layers {
        tree.add(layer(blob, None, &mut budget)?);
    }
    let root = TempDir::new()?;
    tree.write(root.path(), &FOLDERS)?;
    let files = WalkDir::new(root.path()).into_iter().map(Result::unwrap);
    let files = files.filter(|it| it.file_type().is_file());
    let files = files.map(|it| {
        let path = it.path().strip_prefix(root.path()).expect("inside");
        let text = fs::read_to_string(it.path()).expect("text");
        (path.display().to_string(), text)
    });
    Ok(files.collect())
}

/// The paths and texts of an image with some layers, in short.
fn shown(layers: &[&[Entry<'_>]]) -> String {
    let layers: Vec<_> = layers
        .iter()
        .map(|entries| zipped(gzip(&tar(entries))))
        .collect();
    let files = unpack(&layers).expect("files");
    let files = files.iter().map(|(path, text)| format!("{path}={text}"));
    files.collect::<Vec<_>>().join(" ")
}

fn refusal(layers: &[Blob]) -> String {
    unpack(layers).expect_err("a refusal").to_string()
}

#[test]
fn what_a_later_layer_deletes_is_gone() {
    let first = [file("manifests/a", "1"), file("manifests/b", "2")];
    for (second, expected) in [
        (&[file("manifests/.wh.a", "")][..], "manifests/b=2"),
        (&[file(".wh.manifests", "")], ""),
        (
            &[file(".wh.manifests", ""), file("manifests/c", "3")],
            "manifests/c=3",
        ),
        (
            &[file("manifests/c", "3"), file("manifests/.wh..wh..opq", "")],
            "manifests/c=3",
        ),
        (&[file(".wh..wh.plnk", "")], "manifests/a=1 manifests/b=2"),
        (
            &[file("manifests/.wh.a", ""), file("manifests/a", "3")],
            "manifests/a=3 manifests/b=2",
        ),
    ] {
        assert_eq!(shown(&[&first, second]), expected, "{second:?}");
    }
}

#[test]
fn a_later_layer_changes_what_a_path_is() {
    let first = [file("manifests/a", "1")];
    let above = [folder("manifests/a"), file("manifests/a/b", "2")];
    assert_eq!(shown(&[&first, &above]), "manifests/a/b=2");
    assert_eq!(shown(&[&first, &above[1..]]), "manifests/a/b=2");
    assert_eq!(shown(&[&above, &first]), "manifests/a=1");
}

#[test]
fn links_are_what_they_lead_to() {
    let data = file("data/a", "1");
    for entries in [
        &[data, link("manifests/a", "../data/a")][..],
        &[data, link("manifests/a", "/data/a")],
        &[data, link("manifests/a", "../../../../data/./a")],
        &[link("manifests/a", "../b"), link("b", "data/a"), data],
        &[data, ("manifests/a", EntryType::Link, "data/a")],
        &[
            data,
            link("other", "data"),
            link("manifests/a", "../other/a"),
        ],
    ] {
        let shown = shown(&[entries]);
        assert!(shown.ends_with("manifests/a=1"), "{shown}");
    }
    // As in a container, what is below a link is in the folder that it leads to.
    let layers = [&[folder("custom"), link("data", "custom")][..], &[data]];
    assert_eq!(shown(&layers), "custom/a=1");
}

#[test]
fn what_nothing_can_read_is_refused() {
    for entry in [
        link("manifests/a", "nowhere"),
        link("manifests/a", "a"),
        link("manifests/a", "../../etc/passwd"),
        link("manifests", "data"),
        link("custom/a", "../custom"),
        ("metadata/a", EntryType::Link, "nowhere"),
        ("manifests/a", EntryType::Fifo, ""),
    ] {
        let blob = zipped(gzip(&tar(&[file("data/a", "1"), entry])));
        let message = refusal(&[blob]);
        assert!(
            message.contains("is neither a file"),
            "{entry:?}: {message}"
        );
    }
    assert_eq!(
        shown(&[&[link("bin", "usr/bin"), ("dev/null", EntryType::Char, "")]]),
        ""
    );
}

/// A bundle has no such folders: a rule says so of what is unpacked.
#[test]
fn nothing_is_left_out() {
    let long = format!("manifests/{}", "x".repeat(120));
    let (one, two) = (format!("{long}1"), format!("{long}2"));
    let files = [
        file(&one, "1"),
        file(&two, "2"),
        file("manifests/sub/x.yaml", "3"),
        file("custom/a", "4"),
    ];
    let shown = shown(&[&files]);
    assert_eq!(
        shown,
        format!("custom/a=4 manifests/sub/x.yaml=3 {one}=1 {two}=2")
    );
}

#[test]
fn a_layer_is_read_to_its_end() {
    let archive = tar(&[file("manifests/a", "1")]);
    let (start, end) = archive.split_at(512);
    let members = [gzip(start), gzip(end), gzip(b"")].concat();
    assert_eq!(unpack(&[zipped(members)]).expect("files").len(), 1);
    let whole = gzip(&archive);
    let cut = whole[..whole.len() - 6].to_vec();
    assert!(unpack(&[zipped(cut)]).is_err());
    let mut wrong = whole.clone();
    let place = wrong.len() - 5;
    wrong[place] ^= 1;
    assert!(unpack(&[zipped(wrong)]).is_err());
    let blob = zipped(whole);
    let right = format!("sha256:{}", sha256(&archive));
    let read = |sum: &str| layer(&blob, Some(sum), &mut Budget::default());
    assert_eq!(read(&right).expect("a layer").entries.len(), 1);
    let message = read("sha256:0").expect_err("a wrong sum").to_string();
    assert!(
        message.contains("but the configuration says `sha256:0`"),
        "{message}"
    );
}

#[test]
fn the_limits_are_those_of_the_image() {
    let zeros = "\0".repeat(25 << 20);
    let blob = zipped(gzip(&tar(&[file("manifests/a", &zeros)])));
    assert!(unpack(&[blob.clone(), blob.clone()]).is_ok());
    let message = refusal(&[blob.clone(), blob.clone(), blob]);
    assert_eq!(message, "the layers unpack to more than 64 MiB");
    let copies: Vec<_> = (0..4).map(|index| format!("l{index}")).collect();
    let mut entries = vec![file("a", &zeros)];
    entries.extend(copies.iter().map(|copy| link(copy, "a")));
    let message = refusal(&[zipped(gzip(&tar(&entries)))]);
    assert_eq!(message, "its files have more than 64 MiB");
    let names: Vec<_> = (0..2001).map(|index| format!("d{index}")).collect();
    let entries: Vec<_> = names.iter().map(|name| folder(name)).collect();
    let blob = zipped(gzip(&tar(&entries)));
    let message = refusal(&[blob.clone(), blob]);
    assert_eq!(message, "the layers have more than 4000 entries");
}
