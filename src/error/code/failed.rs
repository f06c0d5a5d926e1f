//! What could not be carried out.

/// Hands these codes, behind others, to the next macro.
macro_rules! failed {
    ($next:ident $($before:tt)*) => {
        $next! {
            $($before)*
            Failed {
                /// The code does not compile.
                /// Fix the errors that cargo prints above.
                BuildFailed = "build-failed",
                /// The catalog of a bundle does not fit into a `ConfigMap`.
                /// Name the image of the bundle, or push a catalog that has it and use `--catalog-image`.
                BundleTooLarge = "bundle-too-large",
                /// A command was interrupted and its staged files were changed since, or rop did not stage them here.
                /// Remove the directory in the message, which discards the rest of that command.
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
                /// A check could not check a part of the project.
                /// Fix the errors above the message, and run it again.
                CheckFailed = "check-failed",
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
                /// `rop simulate --strict` found fields of a spec without an effect.
                /// Use the field in the controller, or remove it from the type.
                IneffectiveField = "ineffective-field",
                /// A command was interrupted, and this command needs its files on disk.
                /// Run any rop command without `--dry-run` and `--check` first.
                Interrupted = "interrupted",
                /// A bundle breaks rules of OLM.
                /// Follow the hints of the findings; the page Bundle rules of the book lists all rules.
                InvalidBundle = "invalid-bundle",
                /// A file-based catalog breaks a rule of OLM, or would with a bundle.
                /// Fix the findings; the page OLM catalogs of the book lists all rules.
                InvalidCatalog = "invalid-catalog",
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
                /// kustomize failed to render a directory.
                /// Fix the kustomization in the message.
                KustomizeFailed = "kustomize-failed",
                /// PROJECT lists the same kind and version twice.
                /// Remove one of the entries.
                ListedTwice = "listed-twice",
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
                /// Set `KUBEBUILDER_ASSETS` to a directory with etcd, kube-apiserver and kubectl.
                NoControlPlane = "no-control-plane",
                /// The project has no CRDs.
                /// Create an API with `rop create api`.
                NoCrds = "no-crds",
                /// The project has no Dockerfile.
                /// Create one with `rop generate project --restore`, or build without an engine: `--engine none`.
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
                /// An older release of rop, or another build with other templates, generated the project, so its files are not those of this release.
                /// Run `rop update`, then the command again.
                OlderProject = "older-project",
                /// The cluster has objects of OLM that do not fit: another Subscription, another installation of the package, or other `OperatorGroup`s.
                /// Remove them, or use another namespace, as the hint says.
                OlmConflict = "olm-conflict",
                /// OLM did not install an operator, or not in time.
                /// See the conditions of OLM's objects in the message.
                OlmInstallFailed = "olm-install-failed",
                /// The cluster does not serve the kinds of OLM.
                /// Install OLM with `rop olm install`, or use another cluster with `--context`.
                OlmMissing = "olm-missing",
                /// The project would be a member of another cargo workspace.
                /// Exclude it there, or use a directory outside that workspace.
                OtherWorkspace = "other-workspace",
                /// The output could not be written to stdout. If the command changes anything, it is done.
                /// Make room where stdout points, such as on a full disk.
                OutputNotWritten = "output-not-written",
                /// A link points out of the project.
                /// Replace it with its target, or remove it.
                OutsideProject = "outside-project",
                /// `rop run bundle` did not install the package in this namespace.
                /// Install it with `rop run bundle`, or name its namespace with `--namespace`.
                PackageNotInstalled = "package-not-installed",
                /// A path is not UTF-8.
                /// Rename the file or directory.
                PathNotUtf8 = "path-not-utf8",
                /// A program that rop compiled or needs failed to start.
                /// See the cause below the message.
                ProgramNotStarted = "program-not-started",
                /// The operator is dynamically linked, but the image has no libraries.
                /// Build for another target, or with a container engine.
                ProgramNotStatic = "program-not-static",
                /// The project was renamed while `rop dev` ran.
                /// Stop `rop dev` and start it again.
                ProjectRenamed = "project-renamed",
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
                /// `rop eject runtime` takes over the vendored source of the runtime, but PROJECT names another one.
                /// Vendor it first, or use the source as it is.
                RuntimeNotVendored = "runtime-not-vendored",
                /// Versions of a kind have different schemas but no conversion.
                /// Add a conversion: `rop create webhook --conversion`.
                SchemasDiffer = "schemas-differ",
                /// A test of the scorecard failed, or none ran.
                /// Follow the suggestions of the tests, and run the command again.
                ScorecardFailed = "scorecard-failed",
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
                /// This machine lacks a program that rop requires.
                /// Install it as `rop doctor` says.
                ToolsMissing = "tools-missing",
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
                /// A kustomization asks for a download, a Helm chart, another program, or a file outside of the git repository: rop renders only files of the project and its repository.
                /// Save the result in the project, and list that file instead.
                UnsafeKustomization = "unsafe-kustomization",
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
                /// `rop simulate --strict` found permissions that no request of the operator needed.
                /// Remove them from the markers, and run `rop generate manifests`.
                UnusedPermission = "unused-permission",
                /// A file or directory cannot be written.
                /// Check permissions, free space and the file system. If the message says so, nothing was written.
                UnwritableFile = "unwritable-file",
                /// You and this release of rop changed the same lines, or you edited files that rop owns.
                /// Merge the lines in the message, or use `--conflicts=markers`, which writes both texts into the files.
                UpdateConflict = "update-conflict",
                /// A version cannot be removed from a CRD while objects may be stored in it.
                /// Migrate the objects first, as the hint says.
                VersionStored = "version-stored",
                /// A webhook does not respond.
                /// Check the pods behind it, or the operator under `rop dev`.
                WebhookUnanswered = "webhook-unanswered",
            }
        }
    };
}

pub(super) use failed;
