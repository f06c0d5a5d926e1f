use crate::plan::is_rust;
use crate::project::Project;

/// Puts the project's license above a Rust source, in the form that the REUSE specification reads.
pub(super) fn put(project: &Project, path: &str, text: String) -> String {
    let Some(license) = project.license.spdx().filter(|_| is_rust(path)) else {
        return text;
    };
    let holder = match &project.owner {
        Some(owner) => owner.to_string(),
        None => format!("The {} authors", project.project_name),
    };
    format!("// SPDX-FileCopyrightText: {holder}\n// SPDX-License-Identifier: {license}\n\n{text}")
}
