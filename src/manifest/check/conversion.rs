//! How objects are converted between versions.

use std::collections::BTreeSet;

use serde_json::Value;

use super::names;
use super::problem::Report;
use super::schema::{is_set, list, text};

pub(super) fn check(crd: &Value, report: &mut Report<'_>) {
    let conversion = &crd["spec"]["conversion"];
    if !conversion.is_object() {
        return;
    }
    let field = "spec.conversion";
    let strategy = text(&conversion["strategy"]);
    let webhook = &conversion["webhook"];
    match strategy {
        "None" => {
            if is_set(&webhook["clientConfig"]) || is_set(&webhook["conversionReviewVersions"]) {
                report.refuse(field, "`webhook` needs the strategy `Webhook`");
            }
        }
        "Webhook" => {
            let client = &webhook["clientConfig"];
            if client["url"].is_null() == client["service"].is_null() {
                report.refuse(
                    field,
                    "`webhook.clientConfig` needs either `url` or `service`",
                );
            }
            review_versions(&webhook["conversionReviewVersions"], report);
        }
        _ => {
            report.refuse(
                field,
                format!("the strategy `{strategy}` is neither `None` nor `Webhook`"),
            );
        }
    }
}

fn review_versions(versions: &Value, report: &mut Report<'_>) {
    let field = "spec.conversion.webhook.conversionReviewVersions";
    let versions: Vec<_> = list(versions).iter().map(text).collect();
    if versions.iter().collect::<BTreeSet<_>>().len() < versions.len() {
        report.refuse(field, "duplicate version");
    }
    for version in &versions {
        names::label(version, field, report);
    }
    if !versions
        .iter()
        .any(|version| ["v1", "v1beta1"].contains(version))
    {
        report.refuse(field, "must have `v1` or `v1beta1`");
    }
}
