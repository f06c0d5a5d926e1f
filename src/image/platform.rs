use std::fmt;
use std::str::FromStr;

use oci_spec::image::{Arch, Os, PlatformBuilder};

use crate::error::{Code, Error, Result};
use crate::project::name::NameError;

/// What an image runs on, such as `linux/amd64`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Platform(&'static Row);

#[derive(Debug, PartialEq, Eq)]
struct Row {
    architecture: &'static str,
    variant: Option<&'static str>,
    /// What Rust calls the processor, and how its targets end.
    rust: (&'static str, &'static str),
    /// What `std::env::consts::ARCH` calls it.
    host: &'static str,
}

const fn row(
    architecture: &'static str,
    variant: Option<&'static str>,
    rust: (&'static str, &'static str),
    host: &'static str,
) -> Row {
    Row {
        architecture,
        variant,
        rust,
        host,
    }
}

/// What Kubernetes has nodes of.
static KNOWN: [Row; 7] = [
    row("amd64", None, ("x86_64", ""), "x86_64"),
    row("arm64", None, ("aarch64", ""), "aarch64"),
    row("arm", Some("v7"), ("armv7", "eabihf"), "arm"),
    row("386", None, ("i686", ""), "x86"),
    row("ppc64le", None, ("powerpc64le", ""), "powerpc64"),
    row("riscv64", None, ("riscv64gc", ""), "riscv64"),
    row("s390x", None, ("s390x", ""), "s390x"),
];

impl Platform {
    /// Linux on the processor of this machine.
    ///
    /// # Errors
    /// Kubernetes has no nodes with such a processor.
    pub fn host() -> Result<Self> {
        let host = std::env::consts::ARCH;
        KNOWN
            .iter()
            .find(|row| row.host == host)
            .map(Self)
            .ok_or_else(|| {
                Error::new(
                    Code::UnknownPlatform,
                    format!("this machine's platform {host} is not an image platform"),
                )
                .hint("set the platform, for example `--platform linux/amd64`")
            })
    }

    /// The architecture in the words of image configurations.
    pub(super) fn architecture(self) -> Arch {
        Arch::from(self.0.architecture)
    }

    /// The variant of the architecture, where it has several.
    pub(super) fn variant(self) -> Option<&'static str> {
        self.0.variant
    }

    /// The targets of Rust that run on it, the one for static programs first.
    pub(crate) fn targets(self) -> [String; 2] {
        let (processor, end) = self.0.rust;
        ["musl", "gnu"].map(|libc| format!("{processor}-unknown-linux-{libc}{end}"))
    }

    /// The platform as an index of images has it.
    pub(super) fn descriptor(self) -> oci_spec::image::Platform {
        let platform = PlatformBuilder::default()
            .os(Os::Linux)
            .architecture(self.architecture());
        let platform = match self.0.variant {
            Some(variant) => platform.variant(variant),
            None => platform,
        };
        platform
            .build()
            .expect("an operating system and an architecture")
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "linux/{}", self.0.architecture)?;
        self.0
            .variant
            .map_or(Ok(()), |variant| write!(f, "/{variant}"))
    }
}

impl FromStr for Platform {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let known = || KNOWN.iter().map(Self);
        known()
            .find(|platform| platform.to_string() == value)
            .ok_or_else(|| {
                let names: Vec<_> = known().map(|platform| platform.to_string()).collect();
                NameError {
                    what: "platform",
                    value: value.to_owned(),
                    rule: "not a Linux platform of Kubernetes nodes".into(),
                    hint: Some(format!("supported platforms: {}", names.join(", "))),
                }
            })
    }
}

#[cfg(test)]
mod tests {
    use super::{KNOWN, Platform};

    #[test]
    fn names_are_read_back() {
        for platform in KNOWN.iter().map(Platform) {
            assert_eq!(platform.to_string().parse(), Ok(platform));
            let architecture = platform.architecture().to_string();
            assert_eq!(
                architecture, platform.0.architecture,
                "the specification's name"
            );
        }
        let error = "windows/amd64".parse::<Platform>().expect_err("no Linux");
        assert!(error.hint.expect("a hint").contains("linux/arm/v7"));
        let arm: Platform = "linux/arm/v7".parse().expect("a platform");
        assert_eq!(arm.targets()[1], "armv7-unknown-linux-gnueabihf");
    }
}
