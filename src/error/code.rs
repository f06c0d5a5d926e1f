//! The codes of errors, by which a script tells them apart and a person looks them up.
use super::{ErrorKind, table::codes};

// Sorted by name, in each kind. `book/src/reference/errors.md` lists them, which a test compares.
codes! {
    Failed {
        /// The code does not compile.
        /// Fix the errors of cargo above.
        BuildFailed = "build-failed",
        /// A command was interrupted, and what it left behind was changed, so rop can neither finish nor undo it.
        /// Remove the folder that the message names; it drops the rest of that command.
        CannotResume = "cannot-resume",
        /// cargo, or a program that comes with it, failed.
        /// Fix what it reports.
        CargoFailed = "cargo-failed",
        /// cargo, or a program that comes with it, cannot be started.
        /// Install Rust and put it on `PATH`.
        CargoMissing = "cargo-missing",
        /// `config/default/kustomization.yaml` has only one half of the setup of cert-manager.
        /// Add or remove the line that the message names.
        CertManagerComponent = "cert-manager-component",
        /// A file changed between rop's planning and its writing. Nothing was written.
        /// Run the command again.
        ChangedMeanwhile = "changed-meanwhile",
        /// The API server cannot answer now, or has an internal error.
        /// Run the command again later.
        ClusterBusy = "cluster-busy",
        /// The cluster runs a Kubernetes release that generated operators do not support.
        /// Upgrade the cluster, or use another one with `--context`.
        ClusterTooOld = "cluster-too-old",
        /// The API server cannot be reached, or the connection to it is not trusted.
        /// Check the cluster with `kubectl cluster-info`, or use another one with `--context`.
        ClusterUnreachable = "cluster-unreachable",
        /// The local control plane did not start, or ended.
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
        /// The API server would reject a CRD that the types in `api/` produce.
        /// Change the types as the message says.
        CrdRefused = "crd-refused",
        /// The project's `crdgen` failed, did not end, or did not print CRDs.
        /// Look for code in `api/` that panics, prints or does not end.
        CrdgenFailed = "crdgen-failed",
        /// The CRDs in the cluster are not those of the project.
        /// Run `rop install`.
        CrdsOutOfDate = "crds-out-of-date",
        /// A credential helper of the registry cannot be started, or fails.
        /// Log in with it, or wait longer with `--timeout`.
        CredentialHelperFailed = "credential-helper-failed",
        /// A link leads to nothing.
        /// Remove it, or create its target.
        DanglingLink = "dangling-link",
        /// A webhook or a policy of the cluster denies an object.
        /// Change the object as the message says, or ask an administrator of the cluster.
        DeniedByPolicy = "denied-by-policy",
        /// `rop dev` does not run in this project.
        /// Start it in another terminal.
        DevNotRunning = "dev-not-running",
        /// `rop dev` already runs in this project.
        /// Stop it, or use it with `rop dev --kubeconfig`.
        DevRunning = "dev-running",
        /// A downloaded archive is damaged, or its checksum is wrong.
        /// Try again. If it fails again, contact the server's administrator, or set `KUBEBUILDER_ASSETS`.
        DownloadCorrupt = "download-corrupt",
        /// A download failed.
        /// Check the network and try again, or set `KUBEBUILDER_ASSETS`.
        DownloadFailed = "download-failed",
        /// A container engine could not build, save or push the image.
        /// Fix what it reports above.
        EngineFailed = "engine-failed",
        /// A container engine cannot be started, or does not answer.
        /// Start it, or build without one: `--engine none`.
        EngineUnavailable = "engine-unavailable",
        /// Another field manager owns fields that rop applies.
        /// Take them over with `--force-conflicts`, or remove them from the manifests.
        FieldConflict = "field-conflict",
        /// Files are in the way: they exist already, were edited by hand, or are no regular files of the project. Nothing was written.
        /// Move your changes elsewhere, or overwrite them with `--force` if the hint says so.
        FilesInTheWay = "files-in-the-way",
        /// Files that PROJECT needs do not exist.
        /// Restore them, fetch a CRD with the command in the hint, or revert the change of PROJECT.
        FilesMissing = "files-missing",
        /// The cluster does not permit it: a permission, a quota or a security standard forbids it.
        /// Ask an administrator of the cluster, or change the object as the hint says.
        Forbidden = "forbidden",
        /// PROJECT belongs to another tool, such as kubebuilder.
        /// Run rop in a directory of its own.
        ForeignProject = "foreign-project",
        /// rop could not render what it generates. It is a bug of rop.
        /// Report it with the message.
        GenerationFailed = "generation-failed",
        /// rop failed while it wrote files, and could not undo what it had written.
        /// Fix the disk; the next rop command completes or undoes the rest.
        HalfWritten = "half-written",
        /// `config/manager` deploys an image by a digest, which a new image does not have.
        /// Name it by a tag.
        ImageHasDigest = "image-has-digest",
        /// The registry has no such image.
        /// Check its name and its tag, and that it exists for the platform.
        ImageNotFound = "image-not-found",
        /// A command was interrupted, and this one needs its files on disk.
        /// Run any rop command without `--dry-run` and `--check` first.
        Interrupted = "interrupted",
        /// A file-based catalog breaks a rule of OLM, or would with a bundle.
        /// Fix what the message lists; the page Catalogs of the book has all rules.
        InvalidCatalog = "invalid-catalog",
        /// The kubeconfig cannot be used.
        /// Fix it, or use another one with `--kubeconfig`.
        InvalidKubeconfig = "invalid-kubeconfig",
        /// A marker in the code, such as `+kubebuilder:rbac`, is wrong.
        /// Fix it: the message has its line.
        InvalidMarker = "invalid-marker",
        /// The simulation found a seed that breaks an invariant.
        /// Fix the operator; the hint repeats the run.
        InvariantBroken = "invariant-broken",
        /// The cluster does not serve a kind.
        /// Install its CRD, or remove the component that needs it.
        KindNotServed = "kind-not-served",
        /// kubectl failed, for a reason that rop does not know.
        /// Read what kubectl says.
        KubectlFailed = "kubectl-failed",
        /// There is no kubectl.
        /// Install kubectl, or name it with `$KUBECTL`.
        KubectlMissing = "kubectl-missing",
        /// kubectl is too old.
        /// Install a current release, or name it with `$KUBECTL`.
        KubectlOutdated = "kubectl-outdated",
        /// kubectl did not end in time.
        /// If it waits for a login, log in first.
        KubectlTimeout = "kubectl-timeout",
        /// kustomize cannot render a folder.
        /// Fix the kustomization that the message names.
        KustomizeFailed = "kustomize-failed",
        /// The lock of the project cannot be taken. A command of rop that runs is waited for, and is no error.
        /// Check that the file system supports locks and that you may read the directory.
        LockFailed = "lock-failed",
        /// A file is not valid YAML, TOML, JSON or Rust, or lacks a field.
        /// Fix the file that the message names.
        MalformedFile = "malformed-file",
        /// PROJECT cannot be read.
        /// Fix the line that the message names, or restore the file.
        MalformedProject = "malformed-project",
        /// A webhook that PROJECT lists has no marker in the code.
        /// Add the marker in the hint.
        MarkerMissing = "marker-missing",
        /// A namespace does not exist.
        /// Create it, or use another one.
        NamespaceMissing = "namespace-missing",
        /// PROJECT was written by a newer rop.
        /// Install that release, or a newer one.
        NewerProject = "newer-project",
        /// kubectl has no cluster to connect to.
        /// Choose one with `--kubeconfig` and `--context`.
        NoCluster = "no-cluster",
        /// There is no control plane of this Kubernetes release for this machine.
        /// Set `KUBEBUILDER_ASSETS` to a folder with etcd, kube-apiserver and kubectl.
        NoControlPlane = "no-control-plane",
        /// The project has no CRDs.
        /// Create an API with `rop create api`.
        NoCrds = "no-crds",
        /// The project has no Dockerfile.
        /// Create one with `rop init`, or build without an engine: `--engine none`.
        NoDockerfile = "no-dockerfile",
        /// `config/` has no Deployment of the operator with an image, a namespace and a container that is known to be the operator.
        /// Compare `config/` with that of a new project, as the hint says.
        NoOperatorDeployment = "no-operator-deployment",
        /// `Cargo.toml` has no package or program with the name of the project.
        /// Let `projectName` in PROJECT equal the package name in `Cargo.toml`.
        NoPackage = "no-package",
        /// No PROJECT file exists in this directory or above it.
        /// Change into a project, or create one with `rop init`.
        NoProject = "no-project",
        /// The project has no simulation.
        /// Write one: the page Simulation of the book shows it.
        NoSimulation = "no-simulation",
        /// The directory is not an OCI image layout.
        /// Use an empty directory, or one that does not exist.
        NotAnImageLayout = "not-an-image-layout",
        /// A question was answered with no, or nobody was there to answer it. Nothing was done.
        /// Confirm with `--yes`, or use another cluster with `--context`.
        NotConfirmed = "not-confirmed",
        /// Objects still exist after the time to wait for their deletion.
        /// Start the operator, which removes finalizers, or wait longer with `--timeout`.
        NotDeleted = "not-deleted",
        /// The operator did not become ready in time.
        /// The message has the reasons of its pods.
        NotReady = "not-ready",
        /// The API server rejects an object as invalid.
        /// Fix its source in `api/` or `config/`.
        ObjectRejected = "object-rejected",
        /// Deleting CRDs would delete objects of their kinds. Nothing was deleted.
        /// Delete the objects first, or confirm with `--yes`.
        ObjectsAtRisk = "objects-at-risk",
        /// Cargo would take the project for a member of another workspace.
        /// Exclude it there, or use a directory outside of that workspace.
        OtherWorkspace = "other-workspace",
        /// A link leads out of the project.
        /// Replace it by its target, or remove it.
        OutsideProject = "outside-project",
        /// A path is not UTF-8.
        /// Rename the file or directory.
        PathNotUtf8 = "path-not-utf8",
        /// A program that rop compiled or needs cannot be started.
        /// Read the cause below the message.
        ProgramNotStarted = "program-not-started",
        /// The compiled operator needs libraries that the image does not have.
        /// Compile for another target, or build with a container engine.
        ProgramNotStatic = "program-not-static",
        /// The registry refuses the login, or wants one.
        /// Log in with `docker login` or `podman login`.
        RegistryDenied = "registry-denied",
        /// The registry returned an error, or a response that does not follow the specification.
        /// Try again later, or contact the registry's administrator.
        RegistryFailed = "registry-failed",
        /// The registry does not answer in time.
        /// Wait longer with `--timeout`.
        RegistryTimeout = "registry-timeout",
        /// The registry cannot be reached, or the connection broke.
        /// Check its name, the network and its certificate, and run the command again.
        RegistryUnreachable = "registry-unreachable",
        /// Versions of a kind have different schemas, and nothing converts them.
        /// Add a conversion: `rop create webhook --conversion`.
        SchemasDiffer = "schemas-differ",
        /// The simulation ended early.
        /// Fix what its output says.
        SimulationFailed = "simulation-failed",
        /// The operating system refuses something other than a file: output, a pipe, a signal, a port or a watch of files.
        /// Read the cause below the message.
        SystemError = "system-error",
        /// Rust cannot compile for a platform here.
        /// Install the target in the hint.
        TargetMissing = "target-missing",
        /// TLS cannot be set up.
        /// Check the certificates that this machine trusts.
        TlsFailed = "tls-failed",
        /// The types in `api/` and PROJECT do not have the same kinds.
        /// Change the one that is wrong, as the hint says.
        TypesDiffer = "types-differ",
        /// Code of yours uses the types that would be deleted.
        /// Remove them there first.
        TypesInUse = "types-in-use",
        /// The cluster rejects your credentials.
        /// Log in again, or use another context with `--context`.
        Unauthorized = "unauthorized",
        /// rop cannot edit a YAML file that has anchors, tags or keys that are not words.
        /// Write it without them.
        UneditableYaml = "uneditable-yaml",
        /// Images cannot name the platform of this machine.
        /// Name one, as in `--platform linux/amd64`.
        UnknownPlatform = "unknown-platform",
        /// A file or directory cannot be read.
        /// Check that it exists, is text, and that you may read it.
        UnreadableFile = "unreadable-file",
        /// The CRDs differ from run to run.
        /// Use `BTreeMap` and `BTreeSet` for values in schemas.
        UnstableCrds = "unstable-crds",
        /// `Cargo.toml` has an edition or a dependency that generated code cannot use.
        /// Set what the hint says.
        UnsuitableCargoToml = "unsuitable-cargo-toml",
        /// The project belongs to another user.
        /// If you trust that user, set the variable in the hint.
        UntrustedOwner = "untrusted-owner",
        /// The base image is for another platform, too large, or in a form that rop does not read.
        /// Use another base image, `--base scratch` or a container engine.
        UnusableBaseImage = "unusable-base-image",
        /// The stored login for the registry cannot be used.
        /// Log in with a name and a password or access token.
        UnusableLogin = "unusable-login",
        /// A file or directory cannot be written.
        /// Check permissions, free space and the file system. If the message says so, nothing was written.
        UnwritableFile = "unwritable-file",
        /// A version cannot be removed from a CRD, because objects may still be stored in it.
        /// Migrate the objects first, as the hint says.
        VersionStored = "version-stored",
        /// A webhook does not answer.
        /// Check the pods behind it, or the operator under `rop dev`.
        WebhookUnanswered = "webhook-unanswered",
    }
    Usage {
        /// What would be created exists already, with a setting that cannot change.
        /// Leave the setting out, or delete it and create it again.
        AlreadyExists = "already-exists",
        /// A file defines several kinds, and the command needs one.
        /// Name it with `--group` and `--kind`.
        AmbiguousKind = "ambiguous-kind",
        /// Flags contradict each other, or the command does not support one of them.
        /// Leave out the flag that the hint names.
        ConflictingFlags = "conflicting-flags",
        /// A kind has this controller already, or in another version.
        /// Choose a name with `--controller-name`, or use the controller that exists.
        ControllerExists = "controller-exists",
        /// A container engine cannot build what the flags ask for.
        /// Let rop build: `--engine none`; or leave out the flag.
        EngineLimit = "engine-limit",
        /// A directory cannot hold a project.
        /// Name an empty directory, or one that does not exist.
        InvalidDirectory = "invalid-directory",
        /// A group does not fit the domain, or has none.
        /// Write it as the hint says.
        InvalidGroup = "invalid-group",
        /// A version cannot be, or must be, the hub: the version in which objects are stored.
        /// Name the hub, or change it with `--hub`.
        InvalidHub = "invalid-hub",
        /// The name of an image cannot be pushed: it has a digest or no registry.
        /// Write it as the hint says.
        InvalidImage = "invalid-image",
        /// A name or another value breaks a rule of Kubernetes, Rust or rop.
        /// Use the value in the hint, or another one that keeps the rule.
        InvalidName = "invalid-name",
        /// `SOURCE_DATE_EPOCH` is not a time.
        /// Set it to a number of seconds since 1970.
        InvalidTimestamp = "invalid-timestamp",
        /// A file of CRDs does not define the kind, or no kind at all.
        /// Name a kind that it defines, or another file.
        KindNotInFile = "kind-not-in-file",
        /// PROJECT lists the same kind and version twice.
        /// Remove one of the entries.
        ListedTwice = "listed-twice",
        /// Two kinds, groups or controllers would have the same name in Kubernetes or in Rust.
        /// Choose another name.
        NameTaken = "name-taken",
        /// The flags for kinds of other operators are used for a kind of this project or of Kubernetes.
        /// Leave them out.
        NotExternal = "not-external",
        /// There is nothing to convert: a kind has one version, or is not the project's.
        /// Leave out `--conversion` and `--spoke`, or create another version first.
        NothingToConvert = "nothing-to-convert",
        /// What would be deleted is not in the project.
        /// See PROJECT for what each kind has.
        NothingToDelete = "nothing-to-delete",
        /// The package in `Cargo.toml` has another name than the project.
        /// Use that name: `--project-name`.
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
        /// Name a version that the hint lists.
        UnknownVersion = "unknown-version",
        /// rop does not do this.
        /// Use what the hint names.
        Unsupported = "unsupported",
        /// A finalizer needs a controller of the project's own kind to clean up.
        /// Leave out `--finalizer`.
        UnsupportedFinalizer = "unsupported-finalizer",
        /// A crate cannot provide the types of a kind.
        /// Name another crate, or let rop generate the types from the CRD.
        UnusableCrate = "unusable-crate",
        /// A CRD is invalid, or has something that rop cannot generate types for.
        /// Read the reason in the message.
        UnusableCrd = "unusable-crd",
        /// The file of CRDs is no text file, or too large.
        /// Pass a file as the hint says.
        UnusableCrdFile = "unusable-crd-file",
        /// The command line is wrong: an unknown flag, a missing argument or an invalid value.
        /// See `--help` of the command.
        Usage = "usage",
        /// A version is in use: it is the hub, or a controller works with it.
        /// Change the hub or the controller first.
        VersionInUse = "version-in-use",
        /// Some versions of a kind are converted, and this one is not.
        /// Add its conversion, as the hint says.
        VersionNotConverted = "version-not-converted",
        /// Versions of one kind have different plurals, scopes or short names.
        /// Leave out the flag, or let all entries of PROJECT say the same.
        VersionsDiffer = "versions-differ",
        /// PROJECT has another path for the types of a kind than the one they are in.
        /// Write the path in the hint.
        WrongTypesPath = "wrong-types-path",
    }
    Drift {
        /// Files are not what would be generated.
        /// Run the command in the hint, and commit the result.
        Drift = "drift",
    }
    Bug {
        /// rop itself is at fault.
        /// Report it with the message and the command.
        Bug = "bug",
    }
}
#[cfg(test)]
mod tests;
