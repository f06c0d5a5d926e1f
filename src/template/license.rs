use crate::project::Project;

/// Puts the project's license above a Rust source, in the form that the REUSE specification reads.
pub(super) fn add(project: &Project, text: String) -> String {
    if project.license.is_none() {
        return text;
    }
    let holder = match &project.owner {
        Some(owner) => owner.to_string(),
        None => format!("The {} authors", project.project_name),
    };
    let license = project
        .license
        .spdx()
        .map(|id| format!("// SPDX-License-Identifier: {id}\n"))
        .unwrap_or_default();
    format!("// SPDX-FileCopyrightText: {holder}\n{license}\n{text}")
}
