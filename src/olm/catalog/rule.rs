//! The rules, each with its identifier, what it asks for and what to do.

/// Makes the enum of the rules. Each has its identifier, and two lines of documentation: the rule, and what to do.
macro_rules! rules {
    ($(#[doc = $meaning:literal] #[doc = $hint:literal] $rule:ident = $id:literal,)*) => {
        /// A rule of file-based catalogs. Those of `opm validate` are all among them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Rule {
            $(#[doc = $meaning] #[doc = $hint] $rule,)*
        }

        impl Rule {
            /// All rules, as the book lists them.
            #[cfg(test)]
            pub(crate) const ALL: &[Self] = &[$(Self::$rule,)*];

            /// The name, as messages and JSON have it.
            pub(crate) fn id(self) -> &'static str {
                match self {
                    $(Self::$rule => $id,)*
                }
            }

            /// The rule in a sentence.
            #[cfg(test)]
            pub(crate) fn meaning(self) -> &'static str {
                match self {
                    $(Self::$rule => $meaning.trim_ascii(),)*
                }
            }

            /// What to do.
            pub(crate) fn hint(self) -> &'static str {
                match self {
                    $(Self::$rule => $hint.trim_ascii(),)*
                }
            }
        }
    };
}

// In the order of the blobs, and of opm's checks of each.
rules! {
    /// Each file is readable text within the catalog.
    /// replace the file, or name it in `.indexignore`
    FileUnreadable = "file-unreadable",
    /// Each file is YAML or JSON.
    /// fix the line, or name the file in `.indexignore`
    FileMalformed = "file-malformed",
    /// Each document has a `schema`.
    /// add `schema: olm.package`, `olm.channel`, `olm.bundle` or `olm.deprecations`, or name the file in `.indexignore`
    SchemaMissing = "schema-missing",
    /// Each field has the type that OLM reads.
    /// write a value of that type
    FieldType = "field-type",

    /// A package has a name.
    /// set `name` of the `olm.package`
    PackageNameMissing = "package-name-missing",
    /// A package is defined once.
    /// remove one of the `olm.package` blobs
    PackageDuplicate = "package-duplicate",
    /// The name of a package is a DNS label.
    /// use lowercase letters, digits and `-`, at most 63
    PackageNameInvalid = "package-name-invalid",
    /// A package has a default channel.
    /// add a bundle with `rop catalog add`, or set `defaultChannel` of the `olm.package`
    DefaultChannelMissing = "default-channel-missing",
    /// The default channel of a package exists.
    /// name a channel of the package, or add an `olm.channel` with this name
    DefaultChannelUnknown = "default-channel-unknown",
    /// A package has a channel.
    /// add a bundle to a channel: `rop catalog add BUNDLE_DIR --channels stable`
    PackageWithoutChannel = "package-without-channel",

    /// A channel is of a package of the catalog.
    /// set `package` to the name of an `olm.package`
    ChannelPackageUnknown = "channel-package-unknown",
    /// A channel has a name.
    /// set `name` of the `olm.channel`
    ChannelNameMissing = "channel-name-missing",
    /// A channel is defined once in its package.
    /// merge the entries into one `olm.channel`
    ChannelDuplicate = "channel-duplicate",
    /// A channel has an entry.
    /// add an entry, or remove the channel
    ChannelEmpty = "channel-empty",
    /// An entry of a channel has a name.
    /// set `name` to that of an `olm.bundle`
    EntryNameMissing = "entry-name-missing",
    /// An entry is in a channel once.
    /// remove one of the entries
    EntryDuplicate = "entry-duplicate",
    /// An entry has an `olm.bundle` blob.
    /// add the bundle: `rop catalog add BUNDLE_DIR`, or remove the entry
    EntryWithoutBundle = "entry-without-bundle",
    /// No item of `skips` is empty.
    /// remove the item
    EntrySkipEmpty = "entry-skip-empty",
    /// `skipRange` is a range of versions in OLM's syntax.
    /// write for example `>=1.0.0 <1.2.0`: a blank means AND, `||` OR
    EntrySkipRangeInvalid = "entry-skip-range-invalid",
    /// A channel has a head: an entry that no other replaces or skips.
    /// remove the `replaces` or `skips` that names the newest entry
    ChannelWithoutHead = "channel-without-head",
    /// A channel has no more than one head.
    /// let the newest entry replace or skip the other heads
    ChannelSeveralHeads = "channel-several-heads",
    /// No entries of a channel replace each other in a cycle.
    /// remove the `replaces` of the oldest entry in the cycle
    ChannelCycle = "channel-cycle",
    /// Each entry that no other skips can be reached from the head by `replaces`.
    /// let an entry on the way from the head replace it, or skip it
    ChannelStranded = "channel-stranded",

    /// A bundle has a name.
    /// set `name` of the `olm.bundle`
    BundleNameMissing = "bundle-name-missing",
    /// A bundle names its package.
    /// set `package` of the `olm.bundle`
    BundlePackageMissing = "bundle-package-missing",
    /// A bundle is of a package of the catalog.
    /// set `package` to the name of an `olm.package`
    BundlePackageUnknown = "bundle-package-unknown",
    /// A bundle is defined once in its package.
    /// remove one of the `olm.bundle` blobs
    BundleDuplicate = "bundle-duplicate",
    /// A property has a value that OLM can read.
    /// fix the value, or render the bundle again with `rop catalog add`
    PropertyInvalid = "property-invalid",
    /// A bundle has exactly one property `olm.package`.
    /// keep the one with the package and the version of the bundle
    BundlePackageProperty = "bundle-package-property",
    /// The property `olm.package` of a bundle names its package.
    /// let `package` and `packageName` be equal
    BundlePackageDiffers = "bundle-package-differs",
    /// The version of a bundle is a semantic version.
    /// write it as `1.2.3` or `1.2.3-beta.1`, without `v`
    BundleVersionInvalid = "bundle-version-invalid",
    /// The release of a bundle is valid, and in its name.
    /// write identifiers such as `1` or `rc.1`, and name the bundle `<package>-v<version>-<release>`
    BundleReleaseInvalid = "bundle-release-invalid",
    /// No two bundles of a package have the same version.
    /// raise the version of one, or remove it from the channels
    BundleVersionDuplicate = "bundle-version-duplicate",
    /// A bundle has an image, or its manifests as `olm.bundle.object`.
    /// set `image`, or add the bundle without `--image`
    BundleImageMissing = "bundle-image-missing",
    /// The images of a bundle are valid references.
    /// write for example `registry.example.com/app-operator-bundle:v1.0.0`
    BundleImageInvalid = "bundle-image-invalid",
    /// A bundle is in a channel.
    /// add an entry with its name to a channel, or remove the bundle
    BundleNotInChannel = "bundle-not-in-channel",

    /// Deprecations name their package.
    /// set `package` of the `olm.deprecations`
    DeprecationsPackageMissing = "deprecations-package-missing",
    /// Deprecations are of a package of the catalog.
    /// set `package` to the name of an `olm.package`
    DeprecationsPackageUnknown = "deprecations-package-unknown",
    /// A package has its deprecations in one blob.
    /// merge the entries into one `olm.deprecations`
    DeprecationsDuplicate = "deprecations-duplicate",
    /// A deprecation refers to an `olm.package`, `olm.channel` or `olm.bundle`.
    /// set `reference.schema` to one of them
    DeprecationSchema = "deprecation-schema",
    /// Each is deprecated once.
    /// remove one of the entries
    DeprecationDuplicate = "deprecation-duplicate",
    /// What is deprecated exists.
    /// name a channel or a bundle of the package, or remove the entry
    DeprecationReferenceUnknown = "deprecation-reference-unknown",
    /// The deprecation of a package has no name.
    /// remove `reference.name`
    DeprecationPackageNamed = "deprecation-package-named",
    /// A deprecation has a message.
    /// set `message`: users read it
    DeprecationMessageMissing = "deprecation-message-missing",
}
