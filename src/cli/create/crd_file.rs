//! A file of CRDs that a command line names.

use std::fs::{self, File};
use std::io::{self, Read};

use crate::error::{Code, Context, Error, Result};
use crate::external::LONGEST;
use crate::shell_word::shell_word;

/// The text of a file, and its name in messages. `-` is stdin.
///
/// # Errors
/// It cannot be read, or is not text.
pub(super) fn read(file: &str) -> Result<(String, &str)> {
    let (bytes, name) = match file {
        "-" => (bytes(io::stdin().lock(), "stdin")?, "stdin"),
        path => {
            check(path)?;
            let open = File::open(path).unreadable(path)?;
            (bytes(open, path)?, path)
        }
    };
    Ok((text(bytes, name)?, name))
}

/// Rejects URLs, directories, and files whose reading could block forever.
fn check(path: &str) -> Result<()> {
    if path.starts_with("https://") || path.starts_with("http://") {
        let error = Error::new(
            Code::UnusableCrdFile,
            format!("`{path}` is a URL: `--external-crd` reads files only"),
        );
        return Err(error.hint(format!(
            "download it to stdin: `curl -fsSL {} | rop create api … --external-crd -`",
            shell_word(path)
        )));
    }
    let found = fs::metadata(path).unreadable(path)?;
    if found.is_dir() {
        let error = Error::new(
            Code::UnusableCrdFile,
            format!("`{path}` is a directory: `--external-crd` needs a file"),
        );
        return Err(error.hint("pass a file in that directory"));
    }
    // Those of a shell, such as `<(kubectl get crd -o yaml)`, have somebody who writes.
    let is_of_shell = path.starts_with("/dev/") || path.starts_with("/proc/");
    if is_fifo(&found) && !is_of_shell {
        let error = Error::new(Code::UnusableCrdFile, format!("`{path}` is a named pipe"));
        return Err(error.hint(format!("pass it on stdin: `--external-crd - < {path}`")));
    }
    Ok(())
}

#[cfg(unix)]
fn is_fifo(found: &fs::Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&found.file_type())
}

#[cfg(not(unix))]
fn is_fifo(_: &fs::Metadata) -> bool {
    false
}

/// What there is to read, but no more than shows that it is too long.
fn bytes(from: impl Read, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(LONGEST as u64 + 1)
        .read_to_end(&mut bytes)
        .unreadable(name)?;
    Ok(bytes)
}

fn text(bytes: Vec<u8>, name: &str) -> Result<String> {
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(Error::new(
            Code::UnusableCrdFile,
            format!("`{name}` is UTF-16: CRDs must be UTF-8"),
        )
        .hint("convert the file: `iconv -f UTF-16 -t UTF-8 FILE > NEW`"));
    }
    if bytes.len() > LONGEST {
        // The limit may cut a character in two. The text is refused in any case.
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let before = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = before.split(|byte| *byte == b'\n').count();
        Error::new(
            Code::UnusableCrdFile,
            format!("`{name}` is not UTF-8: invalid byte in line {line}"),
        )
    })
}
