//! The annotations of a bundle.

use crate::dns;
use crate::olm::kinds::BUNDLE_PREFIX;
use crate::olm::read::{File, MANIFESTS_KEY, Node, is_inside};
use crate::olm::validate::input::{CSV, Input};
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::Format;

const REQUIRED: [&str; 5] = [
    "mediatype.v1",
    "manifests.v1",
    "metadata.v1",
    "package.v1",
    "channels.v1",
];

/// The media type of a bundle with a CSV.
const REGISTRY: &str = "registry+v1";

pub(super) const RULES: &[Rule] = &[
    Rule::error(
        Format,
        "annotation-missing",
        "`metadata/annotations.yaml` has the media type, the folders, the package and the channels",
        "add the annotation",
        required,
    ),
    Rule::warning(
        Format,
        "annotation-type",
        "No annotation of the bundle is a number or a boolean, which is read as another text: 4.10 as 4.1",
        "put the value in quotes",
        types,
    ),
    Rule::error(
        Format,
        "media-type",
        "The media type fits the content of the bundle",
        "a bundle with a ClusterServiceVersion is `registry+v1`",
        media_type,
    ),
    Rule::error(
        Format,
        "manifests-path",
        "The annotation names the folder of manifests",
        "write `manifests/`",
        manifests_path,
    ),
    Rule::error(
        Format,
        "metadata-path",
        "The annotation names the folder of metadata",
        "write `metadata/`",
        metadata_path,
    ),
    Rule::error(
        Format,
        "package-name",
        "The package has a name, which is a DNS label",
        "use lowercase letters, digits and `-`",
        package,
    ),
    Rule::error(
        Format,
        "channels-empty",
        "The bundle is in a channel",
        "name one, such as `stable`, or several with commas between them",
        channels,
    ),
    Rule::error(
        Format,
        "channel-characters",
        "The names of channels have no blanks and no control characters",
        "name the channel as a Subscription can, such as `stable` or `stable-v1`",
        channel_characters,
    ),
    Rule::error(
        Format,
        "annotation-characters",
        "The names of annotations have no blanks and no control characters: they become labels of the image",
        "rename the annotation, or remove it",
        annotation_characters,
    ),
    Rule::error(
        Format,
        "default-channel-empty",
        "The default channel is not empty",
        "name a channel, or remove the annotation",
        default_channel,
    ),
    Rule::error(
        Format,
        "default-channel-unknown",
        "The default channel is one of the channels",
        "name one of the channels of the bundle, or add the default channel to them",
        unknown_default,
    ),
];

fn annotation<'a>(input: &Input<'a>, name: &str) -> Option<Node<'a>> {
    let annotation = input.annotations()?.get(&format!("{BUNDLE_PREFIX}{name}"));
    annotation.value.is_string().then_some(annotation)
}

/// The channels that the bundle says it is in.
pub(super) fn channel_names<'a>(input: &Input<'a>) -> Vec<&'a str> {
    let channels = annotation(input, "channels.v1")
        .map_or("", |channels| channels.text())
        .split(',')
        .map(str::trim);
    channels.filter(|channel| !channel.is_empty()).collect()
}

/// The annotation of the channels, or the object that lacks it.
pub(super) fn channels_annotation<'a>(input: &Input<'a>) -> Option<Node<'a>> {
    Some(
        input
            .annotations()?
            .get(&format!("{BUNDLE_PREFIX}channels.v1")),
    )
}

fn required(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotations) = input.annotations() else {
        return;
    };
    if annotations.is_missing() {
        found.at(&annotations, "the file has no object `annotations`");
        return;
    }
    for name in REQUIRED {
        let annotation = annotations.get(&format!("{BUNDLE_PREFIX}{name}"));
        if annotation.is_missing() {
            found.at(&annotation, format!("`{BUNDLE_PREFIX}{name}` is missing"));
        }
    }
    for (name, annotation) in annotations.fields() {
        if annotation.value.is_object() || annotation.value.is_array() {
            found.at(&annotation, format!("`{name}` is not a string"));
        }
    }
}

fn types(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotations) = input.annotations() else {
        return;
    };
    for (name, annotation) in annotations.fields() {
        if annotation.value.is_number() || annotation.value.is_boolean() {
            let message = format!("`{name}` is {}, not a string", annotation.value);
            found.at(&annotation, message);
        }
    }
}

fn media_type(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotation) = annotation(input, "mediatype.v1") else {
        return;
    };
    let detected = if input.bundle.of_kind(CSV).next().is_some() {
        REGISTRY
    } else if input.bundle.manifests.iter().any(is_chart) {
        "helm"
    } else if input.bundle.troubles.is_empty() {
        "plain"
    } else {
        return;
    };
    // Then the CSV is what is missing.
    let lacks_csv = annotation.text() == REGISTRY && detected == "plain";
    if annotation.text() != detected && !lacks_csv {
        let message = format!("`{}` must be `{detected}`", annotation.text());
        found.at(&annotation, message);
    }
}

/// Whether a file is that of a Helm chart.
fn is_chart(file: &File) -> bool {
    file.path.ends_with("/Chart.yaml")
}

fn manifests_path(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotation) = input.annotations().map(|it| it.get(MANIFESTS_KEY)) else {
        return;
    };
    let path = annotation.text();
    let inner = path.trim_matches('/');
    if !annotation.value.is_string() || inner == input.bundle.folder {
        return;
    }
    let message = if is_inside(inner) {
        format!("the bundle has no folder `{path}`")
    } else {
        format!("`{path}` is no folder of the bundle")
    };
    found.at(&annotation, message);
}

fn metadata_path(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotation) = annotation(input, "metadata.v1") else {
        return;
    };
    let path = annotation.text();
    if path.trim_matches('/') != "metadata" {
        let message = format!("`{path}` is not the folder of this file, `metadata/`");
        found.at(&annotation, message);
    }
}

fn package(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotation) = annotation(input, "package.v1") else {
        return;
    };
    if annotation.is_empty() {
        found.at(&annotation, "the name of the package is empty");
    } else if let Err(rule) = dns::label_1123(annotation.text()) {
        let message = format!("the package `{}`: {rule}", annotation.text());
        found.at(&annotation, message);
    }
}

fn channels(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotation) = annotation(input, "channels.v1") else {
        return;
    };
    let mut names = annotation.text().split(',').map(str::trim);
    if names.any(str::is_empty) {
        found.at(&annotation, "the name of a channel is empty");
    }
}

/// Whether a name cannot be on one line, between blanks.
fn is_broken(name: &str) -> bool {
    name.contains(|c: char| c.is_whitespace() || c.is_control())
}

fn channel_characters(input: &Input<'_>, found: &mut Findings<'_>) {
    for name in channel_names(input).into_iter().filter(|it| is_broken(it)) {
        if let Some(annotation) = annotation(input, "channels.v1") {
            let message = format!("the channel {name:?} has a blank or a control character");
            found.at(&annotation, message);
        }
    }
}

fn annotation_characters(input: &Input<'_>, found: &mut Findings<'_>) {
    let annotations = input.annotations();
    let fields = annotations.iter().flat_map(Node::fields);
    for (name, annotation) in fields.filter(|(name, _)| is_broken(name)) {
        let message = format!("the annotation {name:?} has a blank or a control character");
        found.at(&annotation, message);
    }
}

fn default_channel(input: &Input<'_>, found: &mut Findings<'_>) {
    if let Some(annotation) = annotation(input, "channel.default.v1")
        && annotation.is_empty()
    {
        found.at(&annotation, "the default channel is empty");
    }
}

fn unknown_default(input: &Input<'_>, found: &mut Findings<'_>) {
    let Some(annotation) = annotation(input, "channel.default.v1") else {
        return;
    };
    let (name, channels) = (annotation.text().trim(), channel_names(input));
    if !name.is_empty() && !channels.is_empty() && !channels.contains(&name) {
        let message = format!(
            "the default channel `{name}` is not among the channels: {}",
            channels.join(", ")
        );
        found.at(&annotation, message);
    }
}
