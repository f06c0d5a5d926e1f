//! How large a bundle is.

use crate::olm::read::Document;
use crate::olm::validate::input::{CRD, Input};
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Content;

/// What OLM stores of a bundle, compressed and encoded.
const LIMIT: usize = 1 << 20;

/// From here on a bundle is said to be large.
const LARGE: usize = LIMIT / 100 * 85;

/// What etcd takes of an object, with a margin for what the API server adds.
const OBJECT: usize = 1 << 20;

/// What `kubectl apply` can keep in an annotation.
const ANNOTATION: usize = 256 << 10;

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Content,
        "bundle-too-large",
        "The manifests fit into 1 MiB, compressed with gzip and encoded with base64",
        "remove descriptions from CRDs, or versions that are not served",
        |input, found| {
            let size = packed(input);
            if size > LIMIT {
                found.file(&input.bundle.folder, sizes(input, size));
            }
        },
    ),
    Rule::warning(
        Content,
        "bundle-large",
        "The manifests take less than 85 % of that limit of 1 MiB",
        "remove descriptions from CRDs, or versions that are not served",
        |input, found| {
            let size = packed(input);
            if size > LARGE && size <= LIMIT {
                found.file(&input.bundle.folder, sizes(input, size));
            }
        },
    ),
    Rule::warning(
        Content,
        "bundle-size-zero",
        "The manifests are not empty",
        "write the objects again",
        |input, found| {
            let files = &input.bundle.manifests;
            if !files.is_empty() && files.iter().all(|file| file.size == 0) {
                found.file(&input.bundle.folder, "all manifests are empty");
            }
        },
    ),
    Rule::warning(
        Content,
        "object-large",
        "Each object is smaller than 1 MiB, so that etcd stores it",
        "split the object, or remove descriptions",
        |input, found| {
            for object in input.bundle.objects() {
                let size = object.root().value.to_string().len();
                if size > OBJECT {
                    let message = format!("the object has {} as JSON", bytes(size));
                    found.at(&object.root().get("kind"), message);
                }
            }
        },
    ),
    Rule::warning(
        Content,
        "crd-large",
        "Each CRD is smaller than 256 KiB, so that `kubectl apply` can keep it in an annotation",
        "remove descriptions, or tell users to run `kubectl apply --server-side`",
        |input, found| {
            for crd in input.bundle.of_kind(CRD).map(Document::root) {
                let size = crd.value.to_string().len();
                if size > ANNOTATION {
                    let message = format!("the CRD has {} as JSON", bytes(size));
                    found.at(&crd.get("kind"), message);
                }
            }
        },
    ),
];

fn packed(input: &Input<'_>) -> usize {
    input.bundle.manifests.iter().map(|file| file.packed).sum()
}

/// The sizes, with the files that take most.
fn sizes(input: &Input<'_>, packed: usize) -> String {
    let mut files: Vec<_> = input.bundle.manifests.iter().collect();
    files.sort_by_key(|file| std::cmp::Reverse(file.packed));
    let largest = files.iter().take(3);
    let largest: Vec<_> = largest
        .map(|file| format!("`{}` {}", file.path, bytes(file.packed)))
        .collect();
    let size = files.iter().map(|file| file.size).sum();
    format!(
        "the manifests have {} compressed ({} uncompressed), the limit is {}; the largest: {}",
        bytes(packed),
        bytes(size),
        bytes(LIMIT),
        largest.join(", ")
    )
}

/// A size in units of 1000.
fn bytes(size: usize) -> String {
    match size {
        ..1000 => format!("{size} B"),
        1000..1_000_000 => format!("{}.{} kB", size / 1000, size / 100 % 10),
        _ => format!("{}.{} MB", size / 1_000_000, size / 100_000 % 10),
    }
}
