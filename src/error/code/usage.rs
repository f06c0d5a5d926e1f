//! What the command line or the project cannot ask for.

/// Hands these codes, behind others, to the next macro.
macro_rules! usage {
    ($next:ident $($before:tt)*) => {
        $next! {
            $($before)*
            Usage {
                /// The API already exists with a setting that cannot change.
                /// Remove the flag, or delete the API and create it again.
                AlreadyExists = "already-exists",
                /// A file defines several kinds, and the command needs one.
                /// Select it with `--group` and `--kind`.
                AmbiguousKind = "ambiguous-kind",
                /// The cluster has OLM v0 and OLM v1.
                /// Select one with `--olm`.
                AmbiguousOlm = "ambiguous-olm",
                /// OLM v1 installs from images of catalogs only.
                /// Push a catalog that has the bundle, and name its image with `--catalog-image`.
                CatalogImageNeeded = "catalog-image-needed",
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
                /// rop cannot write to this file.
                /// Name a file as the hint says.
                InvalidFile = "invalid-file",
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
                /// Make the kind namespaced, or let the operator watch all namespaces: `rop edit --namespaced=false`.
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
                /// The bundle does not support the install mode.
                /// Use an install mode in the hint.
                UnsupportedInstallMode = "unsupported-install-mode",
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
        }
    };
}

pub(super) use usage;
