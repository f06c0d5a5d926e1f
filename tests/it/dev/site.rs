//! A site that archives are downloaded from.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha512};

use crate::support::World;

/// The release that the site has an archive of.
pub(super) const RELEASE: &str = "1.37.0";

const INDEX: &str = "/envtest-releases.yaml";
const ARCHIVE: &str = "/archive.tar.gz";

/// What is wrong with the site.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Fault {
    Nothing,
    /// The list has another sum.
    Sum,
    /// The connection ends in the middle of the archive.
    Truncated,
    /// There is a list, and no archive.
    Missing,
    /// There is no list.
    NoIndex,
}

/// A server on a local port, for as long as the tests run.
pub(super) struct Site {
    port: u16,
}

impl Site {
    /// A site with an archive of some programs.
    pub(super) fn new(programs: &[(&str, Vec<u8>)], fault: Fault) -> Self {
        let archive = archive(programs);
        let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let mut sum: String = Sha512::digest(&archive)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        if fault == Fault::Sum {
            sum.replace_range(..4, "beef");
        }
        let index = format!(
            "releases:\n  v{RELEASE}:\n    envtest-v{RELEASE}-{}.tar.gz:\n      hash: {sum}\n      selfLink: http://127.0.0.1:{port}{ARCHIVE}\n",
            platform()
        );
        let mut pages = BTreeMap::new();
        if fault != Fault::NoIndex {
            pages.insert(INDEX, index.into_bytes());
        }
        if fault != Fault::Missing {
            pages.insert(ARCHIVE, archive);
        }
        let pages = Arc::new(pages);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let pages = Arc::clone(&pages);
                thread::spawn(move || answer(stream, &pages, fault == Fault::Truncated));
            }
        });
        Self { port }
    }

    /// Where its list is.
    pub(super) fn index(&self) -> String {
        format!("http://127.0.0.1:{}{INDEX}", self.port)
    }
}

/// Answers one request, as a server does that somebody may trip over the cable of.
fn answer(mut stream: TcpStream, pages: &BTreeMap<&str, Vec<u8>>, cut: bool) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines();
    let request = lines.next().and_then(Result::ok).unwrap_or_default();
    for line in lines.map_while(Result::ok) {
        if line.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or_default();
    let (status, page) = match pages.get(path) {
        Some(page) => ("200 OK", &page[..]),
        None => ("404 Not Found", &b"there is nothing here"[..]),
    };
    let sent = if cut && path == ARCHIVE {
        &page[..page.len() / 2]
    } else {
        page
    };
    // A client that leaves is no failure of the site.
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        page.len()
    );
    let _ = stream.write_all(sent);
}

/// An archive as those of sigs.k8s.io/controller-tools are laid out.
fn archive(programs: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, program) in programs {
        let mut header = tar::Header::new_gnu();
        header.set_size(program.len() as u64);
        header.set_mode(0o755);
        let path = format!("controller-tools/envtest/{name}");
        let added = archive.append_data(&mut header, path, &program[..]);
        added.expect("a program");
    }
    let compressed = archive.into_inner().and_then(GzEncoder::finish);
    compressed.expect("an archive")
}

/// This machine, as the list says it.
pub(super) fn platform() -> String {
    let machine = match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    };
    format!("{}-{machine}", std::env::consts::OS)
}

/// Where a world keeps the programs of the release.
pub(super) fn store(world: &World) -> std::path::PathBuf {
    let home = world.path().with_file_name("home");
    let data = home.join(".local/share/kubebuilder-envtest/k8s");
    data.join(format!("{RELEASE}-{}", platform()))
}
