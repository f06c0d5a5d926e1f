//! The operator as one static file, compiled by the project's own cargo.

use std::path::Path;

use crate::cargo::{Build, Flags, Settings, Target, Toolchain};
use crate::error::{Code, Context, Error, Result};

use super::platform::Platform;

/// A program that is to be compiled for a platform.
#[derive(Debug)]
pub(super) struct Program<'a> {
    pub(super) root: &'a Path,
    /// Both the package and the program.
    pub(super) name: &'a str,
    /// Where cargo keeps what it makes on the way.
    pub(super) intermediate: &'a Path,
    /// What compiles it.
    pub(super) toolchain: Toolchain,
    pub(super) quiet: bool,
}

/// A compiled program.
#[derive(Debug)]
pub(super) struct Compiled {
    pub(super) data: Vec<u8>,
    /// The target of Rust that it was compiled for.
    pub(super) triple: String,
}

impl Program<'_> {
    /// The target of Rust for a platform.
    ///
    /// # Errors
    /// None of the targets for it is installed.
    pub(super) fn triple(&self, platform: Platform) -> Result<String> {
        let targets = platform.targets();
        let found = self.toolchain.target(&targets).cloned();
        found.ok_or_else(|| {
            let named = targets.each_ref().map(|triple| format!("`{triple}`"));
            Error::new(
                Code::TargetMissing,
                format!(
                    "cannot compile for {platform}: neither {} is installed",
                    named.join(" nor ")
                ),
            )
            .hint(format!(
                "run `rustup target add {}` and install a C compiler for it, or build with a \
                container engine",
                targets[0]
            ))
        })
    }

    /// Compiles it for a platform. What it gives depends on the sources and the toolchain, and not
    /// on where they are.
    ///
    /// # Errors
    /// As [`Program::triple`], or it does not compile.
    pub(super) fn compile(&self, platform: Platform) -> Result<Compiled> {
        let triple = self.triple(platform)?;
        let settings = Settings::read(self.root);
        let flags = Flags::new(&self.toolchain, self.intermediate);
        let mut variables = vec![flags.variable(&triple, &settings)];
        variables.extend(self.toolchain.linker(&triple, &settings));
        let environment: Vec<_> = variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let build = Build {
            root: self.root,
            packages: &[self.name],
            what: "the operator",
            program: Target::Binary(self.name),
            flags: &["--release", "--locked", "--target", &triple],
            environment: &environment,
            quiet: self.quiet,
        };
        let path = build.run()?;
        let data = std::fs::read(&path).unreadable(path.display())?;
        if is_static(&data) {
            Ok(Compiled { data, triple })
        } else {
            Err(Error::new(Code::ProgramNotStatic, format!(
                "the operator for {platform} is dynamically linked, but the image has no libraries"
            ))
            .hint(format!(
                "`{triple}` does not link statically: use another target, or build with a \
                container engine"
            )))
        }
    }
}

/// Whether no loader has to be there for a program: no segment of its names one.
fn is_static(elf: &[u8]) -> bool {
    const INTERPRETER: u32 = 3;
    let is_64 = elf.get(4) == Some(&2);
    let is_little = elf.get(5) != Some(&2);
    let number = |at: usize, bytes: usize| -> Option<u64> {
        let bytes = elf.get(at..at + bytes)?.iter();
        let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        Some(if is_little {
            bytes.rev().fold(0, fold)
        } else {
            bytes.fold(0, fold)
        })
    };
    let headers = || -> Option<Vec<u64>> {
        let (start, size, count) = if is_64 {
            (number(32, 8)?, number(54, 2)?, number(56, 2)?)
        } else {
            (number(28, 4)?, number(42, 2)?, number(44, 2)?)
        };
        let at = |index: u64| usize::try_from(start + index * size).ok();
        (0..count).map(|index| number(at(index)?, 4)).collect()
    };
    elf.starts_with(b"\x7fELF")
        && headers().is_some_and(|types| !types.contains(&u64::from(INTERPRETER)))
}

#[cfg(test)]
mod tests {
    use super::is_static;

    #[test]
    fn static_programs_are_told_apart() {
        // The test itself is linked to a libc that has to be there.
        let own = std::env::current_exe()
            .and_then(std::fs::read)
            .expect("the test");
        let is_linux_gnu = cfg!(all(target_os = "linux", target_env = "gnu"));
        if is_linux_gnu && !cfg!(target_feature = "crt-static") {
            assert!(!is_static(&own));
        }
        for bad in [&b""[..], b"#!/bin/sh\n", b"\x7fELF\x02\x01"] {
            assert!(!is_static(bad));
        }
        // A header with one segment to load, of 64 and of 32 bits.
        let mut long = vec![0; 120];
        long[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (long[32], long[54], long[56], long[64]) = (64, 56, 1, 1);
        assert!(is_static(&long));
        long[64] = 3;
        assert!(!is_static(&long));
        let mut short = vec![0; 84];
        short[..6].copy_from_slice(b"\x7fELF\x01\x02");
        (short[31], short[43], short[45], short[55]) = (52, 32, 1, 1);
        assert!(is_static(&short));
        short[55] = 3;
        assert!(!is_static(&short));
    }
}
