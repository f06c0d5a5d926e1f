//! Where the findings of a bundle come from: much of its `ClusterServiceVersion` is text of the base.

use crate::disk::View;
use crate::error::Result;
use crate::olm::read::{Document, Node};
use crate::olm::validate::Report;

use super::{MANIFESTS, SUFFIX, base, on_disk};

/// Names the base in the hint of each finding whose value the base has, or leaves out as well.
///
/// # Errors
/// As the disk says.
pub fn name_base(report: &mut Report, view: &View, folder: &str, package: &str) -> Result<()> {
    let file = format!("{MANIFESTS}/{package}{SUFFIX}");
    let is_of_csv = |file_of: &str, field: &str| file_of == file && !field.is_empty();
    if !report
        .findings
        .iter()
        .any(|it| is_of_csv(&it.file, &it.field))
    {
        return Ok(());
    }
    let path = base(package);
    let read = |path: &str| -> Result<Option<Document>> {
        let text = on_disk(view, path)?;
        Ok(text.and_then(|text| Document::read(path, &text, &mut Vec::new())))
    };
    let (Some(base), Some(csv)) = (read(&path)?, read(&format!("{folder}/{file}"))?) else {
        return Ok(());
    };
    for finding in &mut report.findings {
        if !is_of_csv(&finding.file, &finding.field) {
            continue;
        }
        let [given, written] = [&base, &csv].map(|document| find(document.root(), &finding.field));
        let origin = match (given, written) {
            (Some(given), Some(written)) if given.value == written.value => {
                format!("; the value comes from `{path}:{}`", given.line)
            }
            (None, None) => format!("; `{path}` is the place for it"),
            _ => continue,
        };
        finding.hint.push_str(&origin);
    }
    Ok(())
}

/// The value of a field, if there is one.
fn find<'a>(node: Node<'a>, field: &str) -> Option<Node<'a>> {
    if node.is_missing() || !field.starts_with(&node.field) {
        return None;
    }
    if node.field == field {
        return Some(node);
    }
    let fields = node.fields().map(|(_, node)| node);
    fields
        .chain(node.items())
        .find_map(|node| find(node, field))
}
