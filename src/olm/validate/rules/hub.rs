//! What OperatorHub shows of an operator.

use semver::Version;

use crate::olm::read::Node;
use crate::olm::validate::input::Input;
use crate::olm::validate::report::Findings;
use crate::olm::validate::rule::Rule;
use crate::olm::validate::suite::Suite::{Capabilities, Categories, OperatorHub, OperatorHubV1};
use crate::suggest::nearest;

use super::addresses::{is_email, is_url};

const IMAGES: [&str; 4] = ["image/gif", "image/jpeg", "image/png", "image/svg+xml"];

const LEVELS: [&str; 5] = [
    "Basic Install",
    "Seamless Upgrades",
    "Full Lifecycle",
    "Deep Insights",
    "Auto Pilot",
];

const CATEGORIES: [&str; 16] = [
    "AI/Machine Learning",
    "Application Runtime",
    "Big Data",
    "Cloud Provider",
    "Database",
    "Developer Tools",
    "Integration & Delivery",
    "Logging & Tracing",
    "Modernization & Migration",
    "Monitoring",
    "Networking",
    "Observability",
    "OpenShift Optional",
    "Security",
    "Storage",
    "Streaming & Messaging",
];

pub(super) const RULES: &[Rule] = &[
    Rule::warning(
        OperatorHubV1,
        "operatorhub-deprecated",
        "The validator `operatorhub` is replaced by others",
        "select `name in (operatorhubv2, capabilities, categories)`",
        |_, found| found.file("", "the validator `operatorhub` is deprecated"),
    ),
    Rule::error(
        OperatorHub,
        "provider-name",
        "The CSV names its provider",
        "set `spec.provider.name`",
        |input, found| {
            if let Some(name) = input.csv_at("spec.provider.name").filter(Node::is_empty) {
                found.at(&name, "the provider has no name");
            }
        },
    ),
    Rule::error(
        OperatorHub,
        "maintainer-incomplete",
        "Each maintainer has a name and an email address",
        "set `name` and `email`",
        |input, found| complete("spec.maintainers", ["name", "email"], input, found),
    ),
    Rule::error(
        OperatorHub,
        "maintainer-email",
        "The email address of a maintainer is valid",
        "write for example `jane@example.com`",
        |input, found| {
            for maintainer in input.csv_items("spec.maintainers") {
                let email = maintainer.get("email");
                if !email.is_empty() && !is_email(email.text()) {
                    let message = format!("`{}` is not an email address", email.text());
                    found.at(&email, message);
                }
            }
        },
    ),
    Rule::error(
        OperatorHub,
        "link-incomplete",
        "Each link has a name and a URL",
        "set `name` and `url`",
        |input, found| complete("spec.links", ["name", "url"], input, found),
    ),
    Rule::error(
        OperatorHub,
        "link-url",
        "The URL of a link is valid",
        "write for example `https://example.com`",
        |input, found| {
            for link in input.csv_items("spec.links") {
                let url = link.get("url");
                if !url.is_empty() && !is_url(url.text()) {
                    found.at(&url, format!("`{}` is not a URL", url.text()));
                }
            }
        },
    ),
    Rule::error(
        OperatorHub,
        "version-zero",
        "The CSV has a version other than 0.0.0",
        "set `spec.version` to the version of the operator",
        |input, found| {
            if let Some(version) = input.csv_at("spec.version")
                && Version::parse(version.text()).is_ok_and(|it| it == Version::new(0, 0, 0))
            {
                found.at(&version, "the version is 0.0.0");
            }
        },
    ),
    Rule::warning(
        OperatorHub,
        "icon-missing",
        "The CSV has an icon",
        "add `spec.icon` with `base64data` and `mediatype`",
        |input, found| {
            if let Some(icon) = input.csv_at("spec.icon").filter(Node::is_empty) {
                found.at(&icon, "the CSV has no icon");
            }
        },
    ),
    Rule::error(
        OperatorHub,
        "icon-count",
        "The CSV has one icon",
        "keep one",
        |input, found| {
            for icon in input.csv_items("spec.icon").skip(1) {
                found.at(&icon, "the CSV has another icon");
            }
        },
    ),
    Rule::error(
        OperatorHub,
        "icon-incomplete",
        "The icon has data and a media type",
        "set `base64data` and `mediatype`",
        |input, found| complete("spec.icon", ["base64data", "mediatype"], input, found),
    ),
    Rule::error(
        OperatorHub,
        "icon-media-type",
        "The icon is a GIF, JPEG, PNG or SVG image",
        "use `image/gif`, `image/jpeg`, `image/png` or `image/svg+xml`",
        |input, found| {
            for icon in input.csv_items("spec.icon") {
                let kind = icon.get("mediatype");
                if !kind.is_empty() && !IMAGES.contains(&kind.text()) {
                    let message = format!("unsupported media type `{}`", kind.text());
                    found.at(&kind, message);
                }
            }
        },
    ),
    Rule::error(
        Capabilities,
        "capability-level",
        "`capabilities` is one of the five levels",
        "use `Basic Install`, `Seamless Upgrades`, `Full Lifecycle`, `Deep Insights` or `Auto Pilot`",
        |input, found| {
            let level = input.csv_annotations().map(|it| it.get("capabilities"));
            if let Some(level) = level.filter(|it| !it.is_missing())
                && !LEVELS.contains(&level.text())
            {
                let message = format!("unknown capability level `{}`", level.text());
                suggest(&level, level.text(), message, LEVELS, found);
            }
        },
    ),
    Rule::error(
        Categories,
        "category-unknown",
        "Each of the `categories` is known",
        "use one of the categories of OperatorHub.io, or name your own list with `OPERATOR_BUNDLE_CATEGORIES`",
        categories,
    ),
];

fn complete(path: &str, names: [&str; 2], input: &Input<'_>, found: &mut Findings<'_>) {
    for item in input.csv_items(path) {
        for name in names {
            if item.get(name).is_empty() {
                found.at(&item.get(name), format!("`{name}` is empty"));
            }
        }
    }
}

fn categories(input: &Input<'_>, found: &mut Findings<'_>) {
    let annotation = input.csv_annotations().map(|it| it.get("categories"));
    let Some(annotation) = annotation.filter(|it| !it.is_missing()) else {
        return;
    };
    let own = input.options.categories.as_deref();
    let known: Vec<&str> = match own {
        Some(own) => own.iter().map(String::as_str).collect(),
        None => CATEGORIES.to_vec(),
    };
    for category in annotation.text().split(',').map(str::trim) {
        if !known.contains(&category) {
            let message = format!("unknown category `{category}`");
            suggest(&annotation, category, message, known.iter().copied(), found);
        }
    }
}

fn suggest<'a>(
    node: &Node<'_>,
    word: &str,
    message: String,
    known: impl IntoIterator<Item = &'a str>,
    found: &mut Findings<'_>,
) {
    match nearest(word, known) {
        Some(near) => found.at_with(node, message, format!("did you mean `{near}`?")),
        None => found.at(node, message),
    }
}
