//! What rustc is told beside what the user tells it.

use std::path::Path;

use super::settings::Settings;
use super::toolchain::Toolchain;
use super::{home, variable_of};

const ALL: &str = "RUSTFLAGS";
const ALL_ENCODED: &str = "CARGO_ENCODED_RUSTFLAGS";
const BUILD: &str = "CARGO_BUILD_RUSTFLAGS";

/// What stands between the flags of `CARGO_ENCODED_RUSTFLAGS`.
const SEPARATOR: &str = "\u{1f}";

/// The flags of a static program without paths of this machine in it.
#[derive(Debug)]
pub(crate) struct Flags(Vec<String>);

impl Flags {
    /// Those for what `toolchain` compiles, with code that cargo generates in `intermediate`.
    pub(crate) fn new(toolchain: &Toolchain, intermediate: &Path) -> Self {
        let mut flags = vec!["-C".to_owned(), "target-feature=+crt-static".to_owned()];
        let library = toolchain.sysroot.join("lib/rustlib/src/rust");
        // What is in the workspace cargo names as seen from there: its directory is nowhere.
        let paths = [
            home().map(|home| (home, "/cargo".to_owned())),
            Some((library, format!("/rustc/{}", toolchain.commit))),
            Some((intermediate.to_owned(), "/target".to_owned())),
        ];
        for (path, name) in paths.into_iter().flatten() {
            flags.push(format!("--remap-path-prefix={}={name}", path.display()));
        }
        Self(flags)
    }

    /// The variable of cargo's to set, and to what.
    pub(crate) fn variable(&self, triple: &str, settings: &Settings) -> (String, String) {
        self.beside(triple, settings, |name| {
            std::env::var(name).ok().filter(|value| !value.is_empty())
        })
    }

    /// Cargo takes flags from one place alone, the first of four that has any. So these go where
    /// the user's are. Cargo adds the flags of a variable to those of its files.
    fn beside(
        &self,
        triple: &str,
        settings: &Settings,
        variable: impl Fn(&str) -> Option<String>,
    ) -> (String, String) {
        if let Some(flags) = variable(ALL_ENCODED) {
            return (
                ALL_ENCODED.into(),
                format!("{flags}{SEPARATOR}{}", self.0.join(SEPARATOR)),
            );
        }
        if let Some(flags) = variable(ALL) {
            let mut all: Vec<_> = flags.split_whitespace().collect();
            all.extend(self.0.iter().map(String::as_str));
            return (ALL_ENCODED.into(), all.join(SEPARATOR));
        }
        let of_target = variable_of(triple, "RUSTFLAGS");
        let has_target = variable(&of_target).is_some() || settings.has(triple, "rustflags");
        let name = if has_target { of_target } else { BUILD.into() };
        // Such a variable is cut at blanks: a path with one stays as it is.
        let own = self
            .0
            .iter()
            .filter(|flag| !flag.contains(char::is_whitespace));
        let all: Vec<_> = variable(&name).into_iter().chain(own.cloned()).collect();
        (name, all.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::Flags;

    const TRIPLE: &str = "x86_64-unknown-linux-gnu";

    fn beside(settings: &str, variables: &[(&str, &str)]) -> (String, String) {
        let flags = Flags(vec!["-C".into(), "own".into(), "a b".into()]);
        flags.beside(TRIPLE, &settings.into(), |name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn flags_go_where_those_of_the_user_are() {
        let of_target = "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS";
        let targets = format!("[target.{TRIPLE}]\nrustflags = ['-g']");
        let by_cfg = "[target.'cfg(unix)']\nrustflags = '-g'";
        let linker = format!("[target.{TRIPLE}]\nlinker = 'x'");
        for (settings, variables, name, value) in [
            ("", &[][..], "CARGO_BUILD_RUSTFLAGS", "-C own"),
            (
                "",
                &[("CARGO_BUILD_RUSTFLAGS", "-g")],
                "CARGO_BUILD_RUSTFLAGS",
                "-g -C own",
            ),
            (
                "[build]\nrustflags = ['-g']",
                &[],
                "CARGO_BUILD_RUSTFLAGS",
                "-C own",
            ),
            (&linker, &[], "CARGO_BUILD_RUSTFLAGS", "-C own"),
            (&targets, &[], of_target, "-C own"),
            (by_cfg, &[], of_target, "-C own"),
            ("", &[(of_target, "-g")], of_target, "-g -C own"),
            (
                &targets,
                &[("RUSTFLAGS", "-g -O")],
                "CARGO_ENCODED_RUSTFLAGS",
                "-g\u{1f}-O\u{1f}-C\u{1f}own\u{1f}a b",
            ),
            (
                "",
                &[("RUSTFLAGS", "-O"), ("CARGO_ENCODED_RUSTFLAGS", "-g")],
                "CARGO_ENCODED_RUSTFLAGS",
                "-g\u{1f}-C\u{1f}own\u{1f}a b",
            ),
        ] {
            let expected = (name.to_owned(), value.to_owned());
            assert_eq!(
                beside(settings, variables),
                expected,
                "{settings} {variables:?}"
            );
        }
    }
}
