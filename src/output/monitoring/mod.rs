//! Grafana dashboards and Prometheus alerts: the components `config/grafana` and `config/prometheus/alerts`.

mod alerts;
mod custom;
mod dashboard;
mod dashboards;

use serde::Serialize;

use crate::disk::View;
use crate::error::Result;
use crate::plan::{Tree, is_headed};
use crate::project::Project;
use crate::template::{self, ProjectData};

use super::{Manifests, Output, headed};
use dashboard::Dashboard;

/// The folder of the dashboards.
const FOLDER: &str = "config/grafana";

/// The list of the dashboards: who has it has them.
const KUSTOMIZATION: &str = "config/grafana/kustomization.yaml";

/// Dashboards and alerts.
#[derive(Debug)]
pub struct Monitoring;

/// What the templates need.
#[derive(Serialize)]
struct Data {
    project: ProjectData,
    /// The names of the dashboards.
    dashboards: Vec<String>,
    has_webhooks: bool,
}

impl Data {
    fn new(project: &Project, dashboards: &[Dashboard]) -> Self {
        let names = dashboards.iter().map(|dashboard| dashboard.name.clone());
        Self {
            project: ProjectData::new(project),
            dashboards: names.collect(),
            has_webhooks: project.has_webhooks(),
        }
    }
}

/// The alerts about webhooks, if a project has any.
fn webhook_rules(project: &Project) -> Result<Tree> {
    if project.has_webhooks() {
        template::render_folder("monitoring-webhook", &Data::new(project, &[]))
    } else {
        Ok(Tree::default())
    }
}

impl Output for Monitoring {
    fn name(&self) -> &'static str {
        FOLDER
    }

    fn command(&self) -> &'static str {
        "generate monitoring"
    }

    /// A folder that rop did not write is none.
    fn is_in(&self, view: &View) -> bool {
        let text = view.read(KUSTOMIZATION).ok().flatten();
        text.is_some_and(|text| is_headed(KUSTOMIZATION, &text))
    }

    fn tree(&self, manifests: &Manifests<'_>) -> Result<Tree> {
        let project = manifests.project;
        let mut dashboards = dashboards::all(project);
        if let Some(list) = manifests.text(custom::LIST)? {
            dashboards.extend(custom::dashboard(&list)?);
        }
        let data = Data::new(project, &dashboards);
        let mut tree = template::render_folder("monitoring", &data)?;
        tree.extend(webhook_rules(project)?);
        for dashboard in &dashboards {
            tree.insert(dashboard.file(project));
        }
        Ok(tree)
    }

    fn generated(&self, view: &View, last: &Project) -> Result<Tree> {
        if !self.is_in(view) {
            return Ok(Tree::default());
        }
        let mut tree = webhook_rules(last)?;
        tree.extend(headed(view, view.own_files_in(FOLDER)?)?);
        Ok(tree)
    }

    fn outdated(&self, view: &View, project: &Project) -> Result<Vec<String>> {
        alerts::of_other_projects(view, project)
    }
}
