/// What keeps a bundle, or a part of it, from being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TroubleKind {
    /// There is no directory, or it cannot be read.
    NoDirectory,
    /// The folder of manifests is missing.
    NoManifests,
    /// The folder of metadata is missing.
    NoMetadata,
    /// No file of metadata has annotations.
    NoAnnotations,
    /// The folder of manifests has no YAML.
    NoYaml,
    /// It is no text, no regular file, too long or outside.
    Unreadable,
    /// It is not YAML.
    Malformed,
    /// An object has a key twice.
    DuplicateKey,
    /// Nothing is in a file.
    Empty,
    /// A folder stands among the manifests.
    Folder,
    /// A file starts with a dot.
    Hidden,
    /// It is no object of Kubernetes.
    NotAnObject,
    /// There is more than one document in a file.
    SeveralDocuments,
}

/// Something that cannot be read, and where.
#[derive(Clone, Debug)]
pub(crate) struct Trouble {
    pub(crate) kind: TroubleKind,
    /// The file or folder, in the bundle. Empty for the bundle's directory.
    pub(crate) file: String,
    /// From 1.
    pub(crate) line: Option<usize>,
    pub(crate) field: String,
    /// What is wrong.
    pub(crate) message: String,
}

impl Trouble {
    /// A trouble with a whole file or folder.
    pub(super) fn new(kind: TroubleKind, file: &str, message: impl Into<String>) -> Self {
        Self {
            kind,
            file: file.to_owned(),
            line: None,
            field: String::new(),
            message: message.into(),
        }
    }

    pub(super) fn line(mut self, line: usize) -> Self {
        self.line = Some(line);
        self
    }

    pub(super) fn field(mut self, field: &str) -> Self {
        field.clone_into(&mut self.field);
        self
    }
}
