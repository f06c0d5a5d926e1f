//! Images as files: what other tools load, and what is carried to where no registry is.

mod disk;
mod layout;
mod present;

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::disk::{check_target, read};
use crate::error::{Code, Context, Error, Result};
use crate::project::name::{Image, NameError};

use super::artifact::Artifact;
use super::layer::append;
pub(super) use disk::write as write_file;
use layout::Layout;
pub(super) use present::check_chart;

/// Where an image is written, and in which form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The format: a directory or an archive.
    pub form: Form,
    /// The file or the directory.
    pub path: PathBuf,
}

/// A form that images are kept in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A directory as the OCI image layout says.
    Oci,
    /// The same in one file.
    OciArchive,
    /// What `docker load` reads.
    DockerArchive,
}

impl Form {
    const ALL: [Self; 3] = [Self::Oci, Self::OciArchive, Self::DockerArchive];

    /// What the tools call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Oci => "oci",
            Self::OciArchive => "oci-archive",
            Self::DockerArchive => "docker-archive",
        }
    }
}

impl Output {
    /// Where an image is that nothing else keeps: an engine keeps what it built.
    ///
    /// # Errors
    /// The folder leads out of the project.
    pub(super) fn kept(root: &Path, target: &Path, name: &str, platforms: usize) -> Result<Self> {
        let folder = target.join("image");
        check_target(root, &folder).map_err(|error| {
            error.hint("or write the image elsewhere: `--output oci-archive:FILE`")
        })?;
        Ok(Self {
            form: match platforms {
                0 | 1 => Form::DockerArchive,
                _ => Form::OciArchive,
            },
            path: folder.join(format!("{name}.tar")),
        })
    }

    /// Refuses to replace a file that is not an image.
    ///
    /// # Errors
    /// Something else than an image archive is where one is to be written.
    pub(super) fn check(&self) -> Result<()> {
        match self.form {
            Form::Oci => Ok(()),
            Form::OciArchive | Form::DockerArchive => present::check(&self.path)
                .map_err(|error| error.context(format!("failed to write `{self}`"))),
        }
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.form.name(), self.path.display())
    }
}

impl FromStr for Output {
    type Err = NameError;

    fn from_str(value: &str) -> Result<Self, NameError> {
        let parts = value.split_once(':').filter(|(_, path)| !path.is_empty());
        let found = parts.and_then(|(name, path)| {
            let form = Form::ALL.into_iter().find(|form| form.name() == name)?;
            let path = PathBuf::from(path);
            Some(Self { form, path })
        });
        found.ok_or_else(|| NameError {
            what: "output",
            value: value.to_owned(),
            rule: "expected FORMAT:PATH".into(),
            hint: Some("use oci:DIR, oci-archive:FILE or docker-archive:FILE".into()),
        })
    }
}

/// Writes an image under the names that it has. An archive can be read by the tools of both sorts.
///
/// # Errors
/// The disk refuses, the directory holds something else, or the form has no room for the image.
pub(super) fn write(output: &Output, artifact: &Artifact, names: &[Image]) -> Result<()> {
    let layout = Layout::new(artifact, names)?;
    let failed = || format!("failed to write `{output}`");
    match output.form {
        Form::Oci => directory(&output.path, &layout).map_err(|error| error.context(failed())),
        Form::OciArchive | Form::DockerArchive => {
            let archive = archive(&layout).unwritable(failed)?;
            output.check()?;
            disk::write(&output.path, &archive).unwritable(failed)
        }
    }
}

fn archive(layout: &Layout<'_>) -> std::io::Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    append(&mut archive, "blobs/", b"", 0o755)?;
    append(&mut archive, "blobs/sha256/", b"", 0o755)?;
    for (path, data) in layout.files() {
        append(&mut archive, &path, data, 0o644)?;
    }
    archive.into_inner()
}

/// Adds the image to a directory: what is there under other names stays.
fn directory(path: &Path, layout: &Layout<'_>) -> Result<()> {
    let index = path.join("index.json");
    let before = read(&index).ok();
    let is_free = std::fs::read_dir(path).map_or(true, |mut entries| entries.next().is_none());
    if before.is_none() && !is_free {
        return Err(Error::new(
            Code::NotAnImageLayout,
            "the directory is not empty and not an OCI image layout",
        )
        .hint("use an empty directory, or one that does not exist"));
    }
    for inside in ["blobs", "blobs/sha256", "index.json", "oci-layout"] {
        if path.join(inside).is_symlink() {
            let message = format!("`{inside}` in the directory is a link");
            return Err(Error::new(Code::NotAnImageLayout, message)
                .hint("use an empty directory, or one that does not exist"));
        }
    }
    let merged = layout.merged(before.as_deref())?;
    for (name, data) in layout.files().filter(|(name, _)| name != "index.json") {
        if name != "manifest.json" {
            disk::write(&path.join(name), data).unwritable(|| {
                "the new image is not in the index \
                yet"
            })?;
        }
    }
    disk::write(&index, &merged).unwritable(|| "the new image is not in the index yet")
}

#[cfg(test)]
mod tests {
    use super::{Form, Output};

    #[test]
    fn outputs_are_read_as_skopeo_reads_them() {
        let output: Output = "oci-archive:a:b.tar".parse().expect("an output");
        assert_eq!(output.form, Form::OciArchive);
        assert_eq!(output.to_string(), "oci-archive:a:b.tar");
        for bad in ["", "oci", "oci:", "tar:x", "x.tar"] {
            assert!(bad.parse::<Output>().is_err(), "{bad}");
        }
    }
}
