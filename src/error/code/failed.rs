//! What could not be carried out.

/// Hands these codes, behind others, to the next macro.
macro_rules! failed {
    ($next:ident $($before:tt)*) => {
        $next! {
            $($before)*
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
                /// A bundle breaks rules of OLM.
                /// Follow the hints of the findings; the page Bundle rules of the book lists all rules.
                InvalidBundle = "invalid-bundle",
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
        }
    };
}

pub(super) use failed;
