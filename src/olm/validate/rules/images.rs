//! The images of an operator.

use std::collections::BTreeSet;

use crate::olm::read::Node;
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Csv;
use crate::reference;

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Csv,
        "related-image-empty",
        "Each related image names an image",
        "write the image, or remove the entry",
        |input, found| {
            for related in input.csv_items("spec.relatedImages") {
                let image = related.get("image");
                if image.is_empty() {
                    found.at(&image, "the related image names no image");
                }
            }
        },
    ),
    Rule::warning(
        Csv,
        "related-image-duplicate",
        "Each related image is listed once, and its name means one image",
        "remove or rename one of the two",
        duplicates,
    ),
    Rule::warning(
        Csv,
        "image-latest",
        "Each container runs an image by a digest or a tag other than `latest`",
        "use an image with the tag of its version, or its digest; `rop bundle` takes it with `--image`",
        latest,
    ),
];

fn duplicates(input: &Input<'_>, found: &mut Findings<'_>) {
    let mut seen: [BTreeSet<&str>; 2] = Default::default();
    for related in input.csv_items("spec.relatedImages") {
        for (field, seen) in ["image", "name"].into_iter().zip(&mut seen) {
            let node = related.get(field);
            if !node.is_empty() && !seen.insert(node.text()) {
                found.at(
                    &node,
                    format!("the {field} `{}` is listed twice", node.text()),
                );
                break;
            }
        }
    }
}

fn latest(input: &Input<'_>, found: &mut Findings<'_>) {
    for image in input.deployments().flat_map(|it| images(&it)) {
        let (_, tag, digest) = reference::split(image.text());
        let is_latest = digest.is_none() && tag.is_none_or(|tag| tag == "latest");
        if is_latest && !image.is_empty() {
            found.at(&image, format!("`{}` can change at any time", image.text()));
        }
    }
}

/// The images of the containers of a deployment.
fn images<'a>(deployment: &Node<'a>) -> Vec<Node<'a>> {
    let pod = deployment.at("spec.template.spec");
    let lists = ["containers", "initContainers"].map(|list| pod.get(list));
    let containers = lists.iter().flat_map(Node::items);
    containers.map(|container| container.get("image")).collect()
}
