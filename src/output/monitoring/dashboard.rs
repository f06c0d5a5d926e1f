//! A dashboard as the JSON that Grafana imports.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::hex::hex;
use crate::plan::{File, json_body};
use crate::project::Project;

use super::FOLDER;

/// Stands in queries for the selector of the operator.
const OF: &str = "$OF";

/// Selects the operator that is chosen in the dashboard.
pub(super) const OPERATOR: &str = r#"namespace="$namespace", job="$job""#;

/// The size of a panel: two fill a row.
const WIDTH: usize = 12;
const HEIGHT: usize = 8;

pub(super) struct Dashboard {
    /// The name of its file and its `ConfigMap`.
    pub(super) name: String,
    pub(super) title: String,
    pub(super) panels: Vec<Panel>,
}

/// A graph of the metrics of all operators.
pub(super) struct Graph {
    pub(super) title: &'static str,
    pub(super) about: &'static str,
    /// One of Grafana's units.
    pub(super) unit: &'static str,
    /// Expressions, each with its legend.
    pub(super) queries: &'static [[&'static str; 2]],
}

/// A panel of a dashboard.
pub(super) struct Panel {
    pub(super) title: String,
    pub(super) about: String,
    pub(super) unit: String,
    pub(super) queries: Vec<[String; 2]>,
}

impl Panel {
    /// A graph about what a selector selects.
    pub(super) fn new(graph: &Graph, selector: &str) -> Self {
        let queries = graph.queries.iter();
        Self {
            title: graph.title.to_owned(),
            about: graph.about.to_owned(),
            unit: graph.unit.to_owned(),
            queries: queries
                .map(|[query, legend]| [query.replace(OF, selector), (*legend).to_owned()])
                .collect(),
        }
    }

    fn to_json(&self, place: usize) -> Value {
        let targets = self.queries.iter().zip('A'..).map(|([query, legend], id)| {
            json!({ "refId": id, "expr": query, "legendFormat": legend, "datasource": source() })
        });
        json!({
            "id": place + 1,
            "type": "timeseries",
            "title": self.title,
            "description": self.about,
            "datasource": source(),
            "fieldConfig": { "defaults": { "unit": self.unit }, "overrides": [] },
            "gridPos": {
                "x": place % 2 * WIDTH, "y": place / 2 * HEIGHT, "w": WIDTH, "h": HEIGHT,
            },
            "targets": targets.collect::<Vec<_>>(),
        })
    }
}

impl Dashboard {
    pub(super) fn file(&self, project: &Project) -> File {
        let operator = &project.project_name;
        let text = format!("{}.{operator}/{}", project.domain, self.name);
        // The same in every cluster, and no longer than the 40 characters of Grafana.
        let uid = hex(&Sha256::digest(text)[..16]);
        let panels = self
            .panels
            .iter()
            .enumerate()
            .map(|(place, panel)| panel.to_json(place));
        let info = format!("operator_build_info{{name=\"{operator}\"}}");
        let of_namespace =
            format!("operator_build_info{{name=\"{operator}\", namespace=\"$namespace\"}}");
        let dashboard = json!({
            "uid": uid,
            "title": format!("{operator}: {}", self.title),
            "tags": ["operator", operator.as_str()],
            "schemaVersion": 39,
            "editable": true,
            "refresh": "30s",
            "time": { "from": "now-1h", "to": "now" },
            "templating": { "list": [
                { "name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus" },
                variable("namespace", "Namespace", &format!("label_values({info}, namespace)")),
                variable("job", "Job", &format!("label_values({of_namespace}, job)")),
            ] },
            "panels": panels.collect::<Vec<_>>(),
        });
        let path = format!("{FOLDER}/{}.json", self.name);
        File::owned(path, json_body(&dashboard))
    }
}

/// The Prometheus that is chosen in the dashboard.
fn source() -> Value {
    json!({ "type": "prometheus", "uid": "${datasource}" })
}

/// A choice between the results of a query.
fn variable(name: &str, label: &str, query: &str) -> Value {
    json!({
        "name": name, "label": label, "type": "query", "datasource": source(), "refresh": 2, "sort": 1,
        "query": { "query": query, "refId": name },
    })
}
