//! What the command line or the project cannot ask for.

/// Hands these codes, behind others, to the next macro.
macro_rules! usage {
    ($next:ident $($before:tt)*) => {
        $next! {
            $($before)*
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
        }
    };
}

pub(super) use usage;
