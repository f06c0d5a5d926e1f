//! Whether the files of a bundle can be read.

use crate::olm::read::{Document, TroubleKind};
use crate::olm::validate::input::{CRD, CSV, Input};
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Loading;

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Loading,
        "bundle-directory",
        "The bundle is a directory",
        "pass the directory that has `manifests/` and `metadata/`, or an image with a tag",
        |input, found| troubles(TroubleKind::NoDirectory, input, found),
    ),
    Rule::error(
        Loading,
        "manifests-missing",
        "The bundle has a folder of manifests",
        "pass the directory that has `manifests/` and `metadata/`, often `bundle`",
        |input, found| troubles(TroubleKind::NoManifests, input, found),
    ),
    Rule::error(
        Loading,
        "metadata-missing",
        "The bundle has a folder `metadata`",
        "add `metadata/annotations.yaml`",
        |input, found| troubles(TroubleKind::NoMetadata, input, found),
    ),
    Rule::error(
        Loading,
        "annotations-missing",
        "A file in `metadata` has the annotations of the bundle",
        "add `metadata/annotations.yaml` with an object `annotations`",
        |input, found| troubles(TroubleKind::NoAnnotations, input, found),
    ),
    Rule::error(
        Loading,
        "manifests-empty",
        "The folder of manifests has YAML files",
        "add the ClusterServiceVersion and the CRDs",
        |input, found| troubles(TroubleKind::NoYaml, input, found),
    ),
    Rule::error(
        Loading,
        "unreadable-file",
        "Each file is a regular text file in the bundle, of at most 16 MiB, and all files have at most 64 MiB",
        "replace the file with a text file, or remove it",
        |input, found| troubles(TroubleKind::Unreadable, input, found),
    ),
    Rule::error(
        Loading,
        "malformed-yaml",
        "Each file is valid YAML",
        "fix the line; YAML is indented with spaces, not with tabs",
        |input, found| troubles(TroubleKind::Malformed, input, found),
    ),
    Rule::error(
        Loading,
        "duplicate-key",
        "No object has a key twice",
        "remove one of the two, or put `---` between two documents",
        |input, found| troubles(TroubleKind::DuplicateKey, input, found),
    ),
    Rule::error(
        Loading,
        "empty-file",
        "No file is empty",
        "remove the file, or write its object again",
        |input, found| troubles(TroubleKind::Empty, input, found),
    ),
    Rule::error(
        Loading,
        "nested-folder",
        "The folder of manifests has no folders",
        "move the files up, or remove the folder",
        |input, found| troubles(TroubleKind::Folder, input, found),
    ),
    Rule::error(
        Loading,
        "hidden-file",
        "The folder of manifests has no hidden files",
        "remove the file",
        |input, found| troubles(TroubleKind::Hidden, input, found),
    ),
    Rule::error(
        Loading,
        "not-an-object",
        "Each manifest is a Kubernetes object",
        "move the file out of the folder of manifests, or add `apiVersion` and `kind`",
        |input, found| troubles(TroubleKind::NotAnObject, input, found),
    ),
    Rule::error(
        Loading,
        "several-documents",
        "Each file has one document",
        "put each object into a file of its own",
        |input, found| troubles(TroubleKind::SeveralDocuments, input, found),
    ),
    Rule::error(
        Loading,
        "csv-missing",
        "The bundle has a ClusterServiceVersion",
        "add one to the folder of manifests",
        no_csv,
    ),
    Rule::error(
        Loading,
        "several-csvs",
        "The bundle has one ClusterServiceVersion",
        "keep one: a bundle is one version of an operator",
        several_csvs,
    ),
    Rule::error(
        Loading,
        "crd-api-version",
        "CRDs are of `apiextensions.k8s.io/v1` or `v1beta1`",
        "use `apiVersion: apiextensions.k8s.io/v1`",
        crd_version,
    ),
];

fn troubles(kind: TroubleKind, input: &Input<'_>, found: &mut Findings<'_>) {
    let troubles = input.bundle.troubles.iter();
    for trouble in troubles.filter(|trouble| trouble.kind == kind) {
        found.trouble(trouble);
    }
}

fn no_csv(input: &Input<'_>, found: &mut Findings<'_>) {
    let bundle = input.bundle;
    let may_be_csv = |file: &str| file.to_lowercase().contains("clusterserviceversion");
    // Where it cannot be read, that is said.
    let is_said = bundle.troubles.iter().any(|trouble| {
        let is_folder = matches!(
            trouble.kind,
            TroubleKind::NoDirectory | TroubleKind::NoManifests | TroubleKind::NoYaml
        );
        is_folder || may_be_csv(&trouble.file)
    });
    if input.csv().is_none() && !is_said {
        found.file(&bundle.folder, "no file has a ClusterServiceVersion");
    }
}

fn several_csvs(input: &Input<'_>, found: &mut Findings<'_>) {
    for csv in input.bundle.of_kind(CSV).skip(1).map(Document::root) {
        found.at(
            &csv.get("kind"),
            "the bundle has another ClusterServiceVersion",
        );
    }
}

fn crd_version(input: &Input<'_>, found: &mut Findings<'_>) {
    for crd in input.bundle.of_kind(CRD) {
        let version = crd.api_version();
        let known = ["apiextensions.k8s.io/v1", "apiextensions.k8s.io/v1beta1"];
        if !known.contains(&version) {
            let message = format!("`{version}` has no CustomResourceDefinition");
            found.at(&crd.root().get("apiVersion"), message);
        }
    }
}
