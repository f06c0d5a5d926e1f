//! OLM's controllers as plain processes.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::fs::File;

use crate::olm::api_server::with_olm_and_controllers;
use crate::support::control_plane::ControlPlane;

pub(super) struct Olm {
    pub(super) plane: ControlPlane,
    children: Vec<std::process::Child>,
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.is_file())
}

impl Olm {
    pub(super) fn start() -> Option<Self> {
        let (olm, catalog) = (program("olm")?, program("catalog")?);
        let plane = with_olm_and_controllers()?;
        plane.kubectl_ok(&["create", "namespace", "olm"]);
        let mut children = Vec::new();
        for (program, flags) in [(olm, &["--writeStatusName="][..]), (catalog, &["--namespace=olm", "--writeStatusName=", "--interval=10s"])] {
            let log = plane.dir().join(program.file_name().unwrap()).with_extension("log");
            let mut command = Command::new(program);
            command.args(flags).env("KUBECONFIG", plane.kubeconfig())
                .env("OPERATOR_NAMESPACE", "olm").env("OPERATOR_NAME", "olm-operator")
                .stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(log).unwrap());
            plane.adopt(&mut command);
            children.push(command.spawn().expect("it starts"));
        }
        Some(Self { plane, children })
    }
}

#[test]
#[ignore = "a place to try things"]
fn lab() {
    let Some(olm) = Olm::start() else { return };
    eprintln!("LAB {}", olm.plane.kubeconfig().display());
    std::fs::write("/tmp/lab.kubeconfig.path", olm.plane.kubeconfig().display().to_string()).unwrap();
    while !std::path::Path::new("/tmp/lab.stop").exists() {
        std::thread::sleep(std::time::Duration::from_millis(500));
    }
    drop(olm.children);
}
