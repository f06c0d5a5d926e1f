//! The files of an image.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// The user that the operator runs as: no machine has one with this number.
pub(super) const USER: &str = "65532:65532";

/// The path of the operator.
pub(super) const PROGRAM: &str = "/manager";

/// Where catalogs are.
pub(super) const CONFIGS: &str = "/configs";

const PASSWD: &str = "\
root:x:0:0:root:/:/sbin/nologin
nonroot:x:65532:65532:nonroot:/:/sbin/nologin
";

const GROUP: &str = "\
root:x:0:
nonroot:x:65532:
";

/// Programs with glibc look hosts up as this says.
const NSSWITCH: &str = "hosts: files dns\n";

/// Something in a layer.
#[derive(Debug)]
pub(super) struct File {
    /// The path without a slash at its start; that of a directory ends with one.
    pub(super) path: String,
    pub(super) data: Vec<u8>,
    pub(super) mode: u32,
}

/// The program alone, for a base that has the rest.
pub(super) fn program(data: Vec<u8>) -> Vec<File> {
    let path = PROGRAM.trim_start_matches('/').to_owned();
    vec![File {
        path,
        data,
        mode: 0o755,
    }]
}

/// All that the program needs where there is nothing else.
pub(super) fn whole(data: Vec<u8>) -> Vec<File> {
    let directory = |path: &str| File {
        path: path.into(),
        data: Vec::new(),
        mode: 0o755,
    };
    let text = |path: &str, text: String| File {
        path: path.into(),
        data: text.into_bytes(),
        mode: 0o644,
    };
    let mut files = vec![
        directory("etc/"),
        text("etc/group", GROUP.into()),
        text("etc/nsswitch.conf", NSSWITCH.into()),
        text("etc/passwd", PASSWD.into()),
        directory("etc/ssl/"),
        directory("etc/ssl/certs/"),
        text("etc/ssl/certs/ca-certificates.crt", certificates()),
    ];
    files.append(&mut program(data));
    files
}

/// Files by their paths, with the folders that they are in.
pub(super) fn content(files: &BTreeMap<String, Vec<u8>>) -> Vec<File> {
    let mut sorted = BTreeMap::new();
    for (path, data) in files {
        let folders = path.match_indices('/').map(|(end, _)| &path[..=end]);
        sorted.extend(folders.map(|folder| (folder, None)));
        sorted.insert(path, Some(data));
    }
    let files = sorted.into_iter();
    files
        .map(|(path, data)| File {
            path: path.to_owned(),
            mode: if data.is_some() { 0o644 } else { 0o755 },
            data: data.cloned().unwrap_or_default(),
        })
        .collect()
}

/// The authorities that Mozilla trusts. They come with rop, and so are the same on every machine.
fn certificates() -> String {
    let mut bundle = String::new();
    for certificate in webpki_root_certs::TLS_SERVER_ROOT_CERTS {
        bundle.push_str("-----BEGIN CERTIFICATE-----\n");
        let text = STANDARD.encode(certificate);
        for line in text.as_bytes().chunks(64) {
            bundle.extend(line.iter().map(|byte| char::from(*byte)));
            bundle.push('\n');
        }
        bundle.push_str("-----END CERTIFICATE-----\n");
    }
    bundle
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One image, whoever builds it.
    #[test]
    fn the_dockerfile_of_a_project_adds_the_same_files() {
        let dockerfile = include_str!("../../templates/project/Dockerfile.seeded.tera");
        let lines = |text: &str| text.lines().collect::<Vec<_>>().join(" ");
        for (path, text) in [
            ("passwd", lines(PASSWD)),
            ("group", lines(GROUP)),
            ("nsswitch.conf", format!("'{}'", lines(NSSWITCH))),
        ] {
            let line = format!("{text} >/image/etc/{path} ");
            assert!(dockerfile.contains(&line), "{line}");
        }
        assert!(dockerfile.contains(&format!("USER {USER}")));
        assert!(dockerfile.contains(&format!("ENTRYPOINT [\"{PROGRAM}\"]")));
    }
}
