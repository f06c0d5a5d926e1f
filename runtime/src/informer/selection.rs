//! The selected objects of a watch.

use kube::runtime::watcher;

use crate::selector::{Requirement, parse_labels};

/// What a watch selects from a type: everything by default.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Selection {
    pub(crate) labels: Option<String>,
    pub(crate) fields: Option<String>,
    /// Whether only the metadata of the objects is requested.
    pub(crate) is_metadata: bool,
}

impl Selection {
    /// Whether a watch with this selection delivers everything that a watch with `other` would.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        let is_everything = self.labels.is_none() && self.fields.is_none();
        let is_part = is_everything && other.fields.is_none() && other.requirements().is_some();
        let is_same = self.labels == other.labels && self.fields == other.fields;
        (!self.is_metadata || other.is_metadata) && (is_same || is_part)
    }

    /// The label selector. `None` if it cannot be parsed: the API server rejects it, and says why.
    pub(super) fn requirements(&self) -> Option<Vec<Requirement>> {
        parse_labels(self.labels.as_deref().unwrap_or_default()).ok()
    }

    /// As kube's configuration.
    pub(super) fn config(&self) -> watcher::Config {
        watcher::Config {
            label_selector: self.labels.clone(),
            field_selector: self.fields.clone(),
            ..watcher::Config::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_watch_of_everything_covers_all_that_labels_select() {
        let selection = |labels: &str, fields: &str, is_metadata| {
            let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let (labels, fields) = (given(labels), given(fields));
            Selection {
                labels,
                fields,
                is_metadata,
            }
        };
        let everything = || selection("", "", false);
        let metadata = || selection("", "", true);
        for (left, right, covers) in [
            (everything(), everything(), true),
            (everything(), selection("a=b", "", false), true),
            (everything(), selection("a=b", "", true), true),
            (everything(), metadata(), true),
            (metadata(), selection("a=b", "", true), true),
            (metadata(), selection("a=b", "", false), false),
            (metadata(), everything(), false),
            (
                selection("a=b", "", false),
                selection("a=b", "", false),
                true,
            ),
            (
                selection("a=b", "", false),
                selection("a=b,c=d", "", false),
                false,
            ),
            (selection("a=b", "", false), everything(), false),
            // Field selectors cannot be evaluated here.
            (everything(), selection("", "metadata.name=a", false), false),
            (
                selection("", "metadata.name=a", false),
                selection("", "metadata.name=a", true),
                true,
            ),
            // The API server rejects it.
            (everything(), selection("a in b", "", false), false),
        ] {
            assert_eq!(left.covers(&right), covers, "{left:?} {right:?}");
        }
    }
}
