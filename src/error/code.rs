//! The codes of errors, by which a script tells them apart and a person looks them up.

use super::ErrorKind;
use super::table::codes;

// Sorted by name, in each kind. `book/src/reference/errors.md` lists them, which a test compares.
codes! {
    Failed {
        /// The code does not compile.
        /// Fix the errors that cargo prints above.
        BuildFailed = "build-failed",
        /// A command was interrupted and its files were changed since, so rop can neither finish nor undo it.
        /// Remove the folder in the message, which discards the rest of that command.
        CannotResume = "cannot-resume",
        /// cargo, or a program that comes with it, failed.
        /// Fix the reported error.
        CargoFailed = "cargo-failed",
        /// cargo, or a program that comes with it, cannot be started.
        /// Install Rust and put it on `PATH`.
        CargoMissing = "cargo-missing",
        /// `config/default/kustomization.yaml` has only one half of the cert-manager setup.
        /// Add or remove the line in the message.
        CertManagerComponent = "cert-manager-component",
        /// A file changed while the command ran. Nothing was written.
        /// Run the command again.
        ChangedMeanwhile = "changed-meanwhile",
        /// The API server is not available, or has an internal error.
        /// Run the command again later.
        ClusterBusy = "cluster-busy",
        /// The cluster runs a Kubernetes release that generated operators do not support.
        /// Upgrade the cluster, or use another one with `--context`.
        ClusterTooOld = "cluster-too-old",
        /// The API server cannot be reached, or the connection to it is not trusted.
        /// Check the cluster with `kubectl cluster-info`, or use another one with `--context`.
        ClusterUnreachable = "cluster-unreachable",
        /// The local control plane did not start, or exited.
        /// Read the end of its log in the message.
        ControlPlaneFailed = "control-plane-failed",
        /// rop cannot generate the conversion between two versions of a kind.
        /// Write it by hand, as `From` in both directions.
        ConversionNotGenerated = "conversion-not-generated",
        /// Another CRD in the cluster has a name of this kind.
        /// Remove that CRD, or choose another plural or short name.
        CrdNameTaken = "crd-name-taken",
        /// The API server did not establish or delete a CRD in time.
        /// See `kubectl describe crd`, or wait longer with `--timeout`.
        CrdNotReady = "crd-not-ready",
        /// The API server would reject a CRD of the types in `api/`.
        /// Change the types as the message says.
        CrdRefused = "crd-refused",
        /// The project's `crdgen` failed, did not finish, or did not print CRDs.
        /// Check `api/` for code that panics, prints or does not return.
        CrdgenFailed = "crdgen-failed",
        /// The CRDs in the cluster are not those of the project.
        /// Run `rop install`.
        CrdsOutOfDate = "crds-out-of-date",
        /// A credential helper of the registry cannot be started, or fails.
        /// Log in with it, or wait longer with `--timeout`.
        CredentialHelperFailed = "credential-helper-failed",
        /// A link has no target.
        /// Remove the link, or create its target.
        DanglingLink = "dangling-link",
        /// A webhook or a policy of the cluster denied an object.
        /// Change the object as the message says, or ask a cluster administrator.
        DeniedByPolicy = "denied-by-policy",
        /// `rop dev` is not running in this project.
        /// Start `rop dev` in another terminal.
        DevNotRunning = "dev-not-running",
        /// `rop dev` is already running in this project.
        /// Stop it, or use its control plane with `rop dev --kubeconfig`.
        DevRunning = "dev-running",
        /// A downloaded archive is damaged, or its checksum is wrong.
        /// Try again. If it fails again, contact the server's administrator, or set `KUBEBUILDER_ASSETS`.
        DownloadCorrupt = "download-corrupt",
        /// A download failed.
        /// Check the network and try again, or set `KUBEBUILDER_ASSETS`.
        DownloadFailed = "download-failed",
        /// A container engine could not build, save or push the image.
        /// Fix the errors that it prints above.
        EngineFailed = "engine-failed",
        /// A container engine cannot be started, or does not respond.
        /// Start it, or build without an engine: `--engine none`.
        EngineUnavailable = "engine-unavailable",
        /// Another field manager owns fields that rop applies.
        /// Take them over with `--force-conflicts`, or remove them from the manifests.
        FieldConflict = "field-conflict",
        /// Files are in the way: they already exist, were edited by hand, or are not regular files of the project. Nothing was written.
        /// Move your changes elsewhere, or overwrite them with `--force` if the hint says so.
        FilesInTheWay = "files-in-the-way",
        /// Files that PROJECT needs do not exist.
        /// Restore them, fetch a CRD with the command in the hint, or revert the change of PROJECT.
        FilesMissing = "files-missing",
        /// A permission, a quota or a security standard of the cluster does not allow the request.
        /// Ask a cluster administrator, or change the object as the hint says.
        Forbidden = "forbidden",
        /// PROJECT belongs to another tool, such as kubebuilder.
        /// Run rop in another directory.
        ForeignProject = "foreign-project",
        /// rop failed to render a generated file, which is a bug in rop.
        /// Report the bug with the message.
        GenerationFailed = "generation-failed",
        /// rop failed while writing files, and could not undo the changes.
        /// Fix the disk; the next rop command completes or undoes the rest.
        HalfWritten = "half-written",
        /// `config/manager` deploys the image by digest; a new image has another digest.
        /// Use a tag.
        ImageHasDigest = "image-has-digest",
        /// The image is not in the registry.
        /// Check its name, tag and platform.
        ImageNotFound = "image-not-found",
        /// A command was interrupted, and this command needs its files on disk.
        /// Run any rop command without `--dry-run` and `--check` first.
        Interrupted = "interrupted",
        /// The kubeconfig cannot be used.
        /// Fix it, or use another one with `--kubeconfig`.
        InvalidKubeconfig = "invalid-kubeconfig",
        /// A marker in the code, such as `+kubebuilder:rbac`, is wrong.
        /// Fix the marker in the line of the message.
        InvalidMarker = "invalid-marker",
        /// A seed of the simulation breaks an invariant.
        /// Fix the operator; the command in the hint replays the failure.
        InvariantBroken = "invariant-broken",
        /// The cluster does not serve a kind.
        /// Install its CRD, or remove the component that needs it.
        KindNotServed = "kind-not-served",
        /// kubectl failed for an unknown reason.
        /// See kubectl's error.
        KubectlFailed = "kubectl-failed",
        /// kubectl was not found.
        /// Install kubectl, or set `$KUBECTL` to its path.
        KubectlMissing = "kubectl-missing",
        /// kubectl is too old.
        /// Install a current release, or set `$KUBECTL` to its path.
        KubectlOutdated = "kubectl-outdated",
        /// kubectl did not finish in time.
        /// If kubectl waits for a login, log in first.
        KubectlTimeout = "kubectl-timeout",
        /// kustomize failed to render a folder.
        /// Fix the kustomization in the message.
        KustomizeFailed = "kustomize-failed",
        /// The project cannot be locked. Another running rop command is not an error: rop waits for it.
        /// Check that the file system supports locks and that you can read the directory.
        LockFailed = "lock-failed",
        /// A file is not valid YAML, TOML, JSON or Rust, or lacks a field.
        /// Fix the file in the message.
        MalformedFile = "malformed-file",
        /// PROJECT is invalid.
        /// Fix the line in the message, or restore the file.
        MalformedProject = "malformed-project",
        /// A webhook that PROJECT lists has no marker in the code.
        /// Add the marker in the hint.
        MarkerMissing = "marker-missing",
        /// A namespace does not exist.
        /// Create it, or use another one.
        NamespaceMissing = "namespace-missing",
        /// PROJECT was written by a newer rop.
        /// Install that release or a newer one.
        NewerProject = "newer-project",
        /// kubectl has no cluster to connect to.
        /// Choose one with `--kubeconfig` and `--context`.
        NoCluster = "no-cluster",
        /// No control plane of this Kubernetes release exists for this machine.
        /// Set `KUBEBUILDER_ASSETS` to a folder with etcd, kube-apiserver and kubectl.
        NoControlPlane = "no-control-plane",
        /// The project has no CRDs.
        /// Create an API with `rop create api`.
        NoCrds = "no-crds",
        /// The project has no Dockerfile.
        /// Create one with `rop init`, or build without an engine: `--engine none`.
        NoDockerfile = "no-dockerfile",
        /// `config/` has no Deployment with an image, a namespace and the operator's container.
        /// Compare `config/` with that of a new project, as the hint says.
        NoOperatorDeployment = "no-operator-deployment",
        /// `Cargo.toml` has no package or program with the name of the project.
        /// Set `projectName` in PROJECT to the package name in `Cargo.toml`.
        NoPackage = "no-package",
        /// No PROJECT file exists in this directory or above it.
        /// Change into a project, or create one with `rop init`.
        NoProject = "no-project",
        /// The project has no simulation.
        /// Write `tests/simulation.rs`, as the page Simulation of the book shows.
        NoSimulation = "no-simulation",
        /// The directory is not an OCI image layout.
        /// Use an empty directory, or one that does not exist.
        NotAnImageLayout = "not-an-image-layout",
        /// A question was answered with no, or not answered. Nothing was done.
        /// Confirm with `--yes`, or use another cluster with `--context`.
        NotConfirmed = "not-confirmed",
        /// Objects were not deleted in time.
        /// Start the operator, which removes finalizers, or wait longer with `--timeout`.
        NotDeleted = "not-deleted",
        /// The operator did not become ready in time.
        /// See the pods' reasons in the message.
        NotReady = "not-ready",
        /// The API server rejected an object as invalid.
        /// Fix the source in `api/` or `config/`.
        ObjectRejected = "object-rejected",
        /// Deleting CRDs would delete objects of their kinds. Nothing was deleted.
        /// Delete the objects first, or confirm with `--yes`.
        ObjectsAtRisk = "objects-at-risk",
        /// The project would be a member of another cargo workspace.
        /// Exclude it there, or use a directory outside that workspace.
        OtherWorkspace = "other-workspace",
        /// A link points out of the project.
        /// Replace it with its target, or remove it.
        OutsideProject = "outside-project",
        /// A path is not UTF-8.
        /// Rename the file or directory.
        PathNotUtf8 = "path-not-utf8",
        /// A program that rop compiled or needs failed to start.
        /// See the cause below the message.
        ProgramNotStarted = "program-not-started",
        /// The operator is dynamically linked, but the image has no libraries.
        /// Build for another target, or with a container engine.
        ProgramNotStatic = "program-not-static",
        /// The registry rejected the login, or requires one.
        /// Log in with `docker login` or `podman login`.
        RegistryDenied = "registry-denied",
        /// The registry returned an error, or a response that does not follow the specification.
        /// Try again later, or contact the registry's administrator.
        RegistryFailed = "registry-failed",
        /// The registry did not respond in time.
        /// Wait longer with `--timeout`.
        RegistryTimeout = "registry-timeout",
        /// The registry cannot be reached, or the connection broke.
        /// Check its name, the network and its certificate, and run the command again.
        RegistryUnreachable = "registry-unreachable",
        /// Versions of a kind have different schemas but no conversion.
        /// Add a conversion: `rop create webhook --conversion`.
        SchemasDiffer = "schemas-differ",
        /// The simulation ended early.
        /// Fix the error in its output.
        SimulationFailed = "simulation-failed",
        /// An operation of the system other than on files failed: output, a pipe, a signal, a port or a file watch.
        /// See the cause below the message.
        SystemError = "system-error",
        /// The Rust target of a platform is not installed.
        /// Install the target in the hint.
        TargetMissing = "target-missing",
        /// TLS could not be set up.
        /// Check the certificates that this machine trusts.
        TlsFailed = "tls-failed",
        /// The types in `api/` and PROJECT do not have the same kinds.
        /// Change the types or PROJECT, as the hint says.
        TypesDiffer = "types-differ",
        /// Your code uses the types that would be deleted.
        /// Remove those uses first.
        TypesInUse = "types-in-use",
        /// The cluster rejected your credentials.
        /// Log in again, or use another context with `--context`.
        Unauthorized = "unauthorized",
        /// rop cannot edit a YAML file with anchors, tags or keys that are not scalars.
        /// Write the file without them.
        UneditableYaml = "uneditable-yaml",
        /// This machine's platform is not an image platform.
        /// Set the platform, for example `--platform linux/amd64`.
        UnknownPlatform = "unknown-platform",
        /// A file or directory cannot be read.
        /// Check that it exists, is text, and that you can read it.
        UnreadableFile = "unreadable-file",
        /// The generated CRDs differ from run to run.
        /// Use `BTreeMap` and `BTreeSet` for values in schemas.
        UnstableCrds = "unstable-crds",
        /// `Cargo.toml` has an edition or a dependency version that does not fit the generated code.
        /// Set the value in the hint.
        UnsuitableCargoToml = "unsuitable-cargo-toml",
        /// The project belongs to another user.
        /// If you trust that user, set the variable in the hint.
        UntrustedOwner = "untrusted-owner",
        /// The base image is for another platform, too large, or in an unsupported format.
        /// Use another base image, `--base scratch` or a container engine.
        UnusableBaseImage = "unusable-base-image",
        /// The stored login for the registry is not supported.
        /// Log in with a user name and a password or access token.
        UnusableLogin = "unusable-login",
        /// A file or directory cannot be written.
        /// Check permissions, free space and the file system. If the message says so, nothing was written.
        UnwritableFile = "unwritable-file",
        /// A version cannot be removed from a CRD while objects may be stored in it.
        /// Migrate the objects first, as the hint says.
        VersionStored = "version-stored",
        /// A webhook does not respond.
        /// Check the pods behind it, or the operator under `rop dev`.
        WebhookUnanswered = "webhook-unanswered",
    }
    Usage {
        /// The API already exists with a setting that cannot change.
        /// Remove the flag, or delete the API and create it again.
        AlreadyExists = "already-exists",
        /// A file defines several kinds, and the command needs one.
        /// Select it with `--group` and `--kind`.
        AmbiguousKind = "ambiguous-kind",
        /// Flags contradict each other, or the command does not support one of them.
        /// Remove the flag in the hint.
        ConflictingFlags = "conflicting-flags",
        /// The kind already has this controller, or has it in another version.
        /// Choose a name with `--controller-name`, or use the controller that exists.
        ControllerExists = "controller-exists",
        /// A container engine cannot build what the flags ask for.
        /// Let rop build with `--engine none`, or remove the flag.
        EngineLimit = "engine-limit",
        /// A directory cannot hold a project.
        /// Choose an empty directory, or one that does not exist.
        InvalidDirectory = "invalid-directory",
        /// A group is not in the domain, or has no domain.
        /// Write the group as in the hint.
        InvalidGroup = "invalid-group",
        /// A version cannot be, or must be, the hub (the storage version).
        /// Use the hub, or change it with `--hub`.
        InvalidHub = "invalid-hub",
        /// An image cannot be built or pushed under a name with a digest or without a registry.
        /// Write the image as in the hint.
        InvalidImage = "invalid-image",
        /// A name or another value breaks a rule of Kubernetes, Rust or rop.
        /// Use the value in the hint, or another that follows the rule.
        InvalidName = "invalid-name",
        /// `SOURCE_DATE_EPOCH` is not a time.
        /// Set it to a number of seconds since 1970.
        InvalidTimestamp = "invalid-timestamp",
        /// The file of CRDs does not define the kind, or any kind.
        /// Use a kind that the file defines, or another file.
        KindNotInFile = "kind-not-in-file",
        /// PROJECT lists the same kind and version twice.
        /// Remove one of the entries.
        ListedTwice = "listed-twice",
        /// Two kinds, groups or controllers would have the same name in Kubernetes or in Rust.
        /// Choose another name.
        NameTaken = "name-taken",
        /// The flags for kinds of other operators are used for a kind of this project or of Kubernetes.
        /// Remove the flags.
        NotExternal = "not-external",
        /// There is nothing to convert: the kind has one version, or is not of this project.
        /// Remove `--conversion` and `--spoke`, or create another version first.
        NothingToConvert = "nothing-to-convert",
        /// The item to delete is not in the project.
        /// See PROJECT for what each kind has.
        NothingToDelete = "nothing-to-delete",
        /// The package in `Cargo.toml` has another name than the project.
        /// Use the package name: `--project-name`.
        PackageNameDiffers = "package-name-differs",
        /// Two kinds, controllers or webhooks would have the same file or URL path.
        /// Choose other names or paths, or a project with `--multigroup`.
        PathTaken = "path-taken",
        /// A project with other settings exists here.
        /// Use its settings, or another directory.
        ProjectExists = "project-exists",
        /// A namespaced operator cannot watch a cluster-scoped kind.
        /// Make the kind namespaced, or create the project without `--namespaced`.
        ScopeConflict = "scope-conflict",
        /// Neither the project nor Kubernetes has the kind.
        /// Check its group, version and name, or create it.
        UnknownKind = "unknown-kind",
        /// The kind has no such version, or its CRD does not serve it.
        /// Use a version in the hint.
        UnknownVersion = "unknown-version",
        /// rop does not have this command or feature.
        /// Use the alternative in the hint.
        Unsupported = "unsupported",
        /// A finalizer needs a controller of the project's own kind to run the cleanup.
        /// Remove `--finalizer`.
        UnsupportedFinalizer = "unsupported-finalizer",
        /// A crate cannot provide the types of a kind.
        /// Use another crate, or let rop generate the types from the CRD.
        UnusableCrate = "unusable-crate",
        /// A CRD is invalid, or rop cannot generate types for it.
        /// See the reason in the message.
        UnusableCrd = "unusable-crd",
        /// The file of CRDs is not UTF-8 text, or is too large.
        /// Pass a file as the hint says.
        UnusableCrdFile = "unusable-crd-file",
        /// The command line is wrong: an unknown flag, a missing argument or an invalid value.
        /// See `--help` of the command.
        Usage = "usage",
        /// A version is in use: it is the hub, or a controller uses it.
        /// First move the hub or the controller to another version.
        VersionInUse = "version-in-use",
        /// This version of a kind has no conversion, unlike the others.
        /// Add its conversion, as the hint says.
        VersionNotConverted = "version-not-converted",
        /// Versions of one kind have different plurals, scopes or short names.
        /// Remove the flag, or set the same value in all entries of PROJECT.
        VersionsDiffer = "versions-differ",
        /// PROJECT has the wrong path for the types of a kind.
        /// Set the path in the hint.
        WrongTypesPath = "wrong-types-path",
    }
    Drift {
        /// Generated files are out of date.
        /// Run the command in the hint and commit the result.
        Drift = "drift",
    }
    Bug {
        /// A bug in rop.
        /// Report it with the message and the command.
        Bug = "bug",
    }
}

#[cfg(test)]
mod tests;
