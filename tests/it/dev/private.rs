//! The control plane is its user's alone, whoever else is on the machine.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rop::control_plane::{ControlPlane, Options};

use crate::support::control_plane::assets;
use crate::support::memory::temporary;
use crate::support::net;

fn mode(path: &Path) -> u32 {
    let metadata = fs::metadata(path).expect("a file");
    metadata.permissions().mode() & 0o777
}

/// The folders in `/proc` of the processes that work in a folder.
fn processes(folder: &Path) -> Vec<std::path::PathBuf> {
    let folder = folder.canonicalize().expect("a folder");
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .map(|process| process.path())
        .filter(|process| fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == folder))
        .collect()
}

#[test]
fn nobody_else_can_use_it() {
    let Some(assets) = assets() else {
        return;
    };
    let folder = temporary();
    let dir = folder.path().join("plane");
    fs::create_dir(&dir).expect("a folder");
    fs::set_permissions(&dir, fs::Permissions::from_mode(0o755)).expect("permissions");
    let options = Options {
        assets: &assets,
        dir: &dir,
        controllers: false,
        flags: "",
    };
    let plane = ControlPlane::start(&options).expect("it starts");
    assert_eq!(mode(&dir), 0o700);
    for file in ["admin.kubeconfig", "tokens.csv", "apiserver.key"] {
        assert_eq!(mode(&dir.join(file)), 0o600, "{file}");
    }
    let path = "/api/v1/namespaces";
    for (token, status) in [(plane.token(), 200), ("admin", 401), ("", 401)] {
        let answer = net::get_securely(plane.port(), path, token);
        let is_anonymous = token.is_empty() && answer == Some(403);
        assert!(
            answer == Some(status) || is_anonymous,
            "{token}: {answer:?}"
        );
    }
    let running = processes(&dir);
    assert_eq!(running.len(), 2, "{running:?}");
    for process in running {
        let line = fs::read(process.join("cmdline")).expect("a command line");
        let line = String::from_utf8_lossy(&line).into_owned();
        assert!(!line.contains(plane.token()), "{line}");
        let listens = listening(&process);
        let is_etcd = line.contains("etcd.sock") && !line.contains("--secure-port");
        assert_eq!(listens, usize::from(!is_etcd), "{line}");
    }
}

/// On how many ports a process listens.
fn listening(process: &Path) -> usize {
    let sockets: Vec<String> = fs::read_dir(process.join("fd"))
        .expect("open files")
        .filter_map(|file| fs::read_link(file.ok()?.path()).ok())
        .filter_map(|link| {
            let socket = link.to_str()?.strip_prefix("socket:[")?;
            Some(socket.trim_end_matches(']').to_owned())
        })
        .collect();
    let tables = ["tcp", "tcp6"].map(|table| fs::read_to_string(process.join("net").join(table)));
    let tables = tables.into_iter().flatten().collect::<String>();
    let listens = |line: &&str| {
        let fields: Vec<_> = line.split_whitespace().collect();
        fields.get(3) == Some(&"0A")
            && sockets
                .iter()
                .any(|socket| fields.get(9) == Some(&&**socket))
    };
    tables.lines().filter(listens).count()
}

/// While the API server is waited for, it is etcd that ends.
#[test]
fn an_end_is_reported_with_the_log() {
    let folder = temporary();
    let programs = folder.path().join("programs");
    fs::create_dir(&programs).expect("a folder");
    let install = |name: &str, script: &str| {
        crate::support::tools::install(&programs, name, script);
    };
    install("kubectl", "#!/bin/sh\n");
    install(
        "etcd",
        "#!/bin/sh\n: > etcd.sock\necho no space left >&2\nsleep 0.2\n",
    );
    install("kube-apiserver", "#!/bin/sh\nexec sleep 1000\n");
    let dir = folder.path().join("plane");
    fs::create_dir(&dir).expect("a folder");
    let options = Options {
        assets: &programs,
        dir: &dir,
        controllers: false,
        flags: "",
    };
    let error = ControlPlane::start(&options).expect_err("etcd ends");
    let text = error.chain().collect::<Vec<_>>().join(": ");
    assert!(text.contains("/etcd` ended"), "{text}");
    assert!(text.contains("no space left"), "{text}");
}
