//! The sum of a file of rop's, which shows an edit. `build.rs` uses this too.

use sha2::{Digest, Sha256};

use crate::hex::hex;

/// Whether the file is Rust source.
pub(crate) fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

/// The sum of a text: twelve hexadecimal digits. Line ends do not count, nor does what rustfmt may change in a Rust
/// source: a checkout on another system and a formatted file are not edits.
pub(crate) fn sum(path: &str, text: &str) -> String {
    let rust = is_rust(path);
    let mut significant = Vec::with_capacity(text.len());
    // A loop, for the tests run this without optimizations over every file of the library.
    for byte in text.as_bytes() {
        match byte {
            b'\r' => {}
            b',' | b' ' | b'\t' | b'\n' | b'\x0c' if rust => {}
            byte => significant.push(*byte),
        }
    }
    hex(&Sha256::digest(significant)[..6])
}
