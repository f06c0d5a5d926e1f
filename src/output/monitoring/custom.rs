//! The dashboard of the user's own metrics, from the list in `config/grafana/metrics.yaml`.

use serde::Deserialize;

use crate::error::{Code, Error, Result};
use crate::yaml;

use super::dashboard::{Dashboard, OPERATOR, Panel};

/// The list, which belongs to the user.
pub(super) const LIST: &str = "config/grafana/metrics.yaml";

/// The list, with the field names of kubebuilder's `custom-metrics/config.yaml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct List {
    #[serde(default)]
    custom_metrics: Option<Vec<Metric>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Metric {
    /// In `/metrics`.
    #[serde(rename = "metric")]
    name: String,
    #[serde(rename = "type")]
    type_: Type,
    /// The query, if it is not the default of the type.
    expr: Option<String>,
    /// One of Grafana's units.
    unit: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Type {
    Counter,
    Gauge,
    Histogram,
}

/// The dashboard of the metrics in a list, or none if it is empty.
///
/// # Errors
/// The list is malformed, or the name of a metric is none.
pub(super) fn dashboard(list: &str) -> Result<Option<Dashboard>> {
    let list: List = yaml::from_str(list).map_err(|error| {
        let error = Error::new(Code::MalformedFile, error.in_file(LIST));
        error.hint("each entry of `customMetrics` has `metric`, `type` (counter, gauge or histogram), and can have `expr` and `unit`")
    })?;
    let metrics = list.custom_metrics.unwrap_or_default();
    for Metric { name, .. } in &metrics {
        if !is_name(name) {
            let message = format!(
                "invalid metric name `{name}` in `{LIST}`: only ASCII letters, digits, `_` and `:` are allowed, and no digit comes first"
            );
            return Err(Error::new(Code::MalformedFile, message)
                .hint("write a query with labels or functions in `expr`"));
        }
    }
    let panels: Vec<_> = metrics.into_iter().map(Metric::panel).collect();
    Ok((!panels.is_empty()).then(|| Dashboard {
        name: "custom".to_owned(),
        title: "custom metrics".to_owned(),
        panels,
    }))
}

impl Metric {
    fn panel(self) -> Panel {
        let unit = self
            .unit
            .clone()
            .unwrap_or_else(|| self.default_unit().to_owned());
        let (query, legend) = match (self.expr, self.type_) {
            (Some(query), _) => (query, "__auto"),
            (None, type_) => (type_.query(&self.name), "{{pod}}"),
        };
        Panel {
            about: format!("Query of `{}`", self.name),
            title: self.name,
            unit,
            queries: vec![[query, legend.to_owned()]],
        }
    }

    fn default_unit(&self) -> &'static str {
        let name = self.name.strip_suffix("_total").unwrap_or(&self.name);
        let is_rate = matches!(self.type_, Type::Counter);
        match name.rsplit('_').next() {
            Some("seconds") if !is_rate => "s",
            Some("bytes") if is_rate => "Bps",
            Some("bytes") => "bytes",
            Some("ratio") => "percentunit",
            _ => "short",
        }
    }
}

impl Type {
    fn query(self, metric: &str) -> String {
        match self {
            Self::Counter => {
                format!("sum by (pod) (rate({metric}{{{OPERATOR}}}[$__rate_interval]))")
            }
            Self::Gauge => format!("{metric}{{{OPERATOR}}}"),
            Self::Histogram => format!(
                "histogram_quantile(0.9, sum by (pod, le) (rate({metric}_bucket{{{OPERATOR}}}[$__rate_interval])))"
            ),
        }
    }
}

/// Whether a text is the name of a metric.
fn is_name(text: &str) -> bool {
    !text.starts_with(|c: char| c.is_ascii_digit())
        && !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_:".contains(c))
}
