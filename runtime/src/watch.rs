//! Selects the objects of a type to watch.

use std::fmt;
use std::sync::Arc;

use kube::Resource;
use kube::runtime::Predicate;

use crate::informer::Selection;
use crate::kinds::is_metadata;
use crate::user_code;

/// Whether a change counts, given the object before and after.
pub(crate) type Filter<T> = Arc<dyn Fn(&T, &T) -> bool + Send + Sync>;

/// Selects the objects of a type to watch, and the changes that count. Everything by default.
///
/// ```
/// use k8s_openapi::api::core::v1::Node;
/// use kube::runtime::predicates;
/// use rop_runtime::Watch;
///
/// // Nodes of one pool, when their labels or annotations change.
/// let watch = Watch::<Node>::new()
///     .labels("pool=batch")
///     .filter(predicates::labels)
///     .filter(predicates::annotations);
/// ```
pub struct Watch<T> {
    pub(crate) labels: Option<String>,
    pub(crate) fields: Option<String>,
    pub(crate) everywhere: bool,
    pub(crate) whole: bool,
    filters: Vec<Filter<T>>,
}

impl<T> Watch<T> {
    /// Selects all objects of the type, in the namespaces that the operator watches.
    #[must_use]
    pub fn new() -> Self {
        Self {
            labels: None,
            fields: None,
            everywhere: false,
            whole: false,
            filters: Vec::new(),
        }
    }

    /// Selects objects by labels, such as `a=b,c!=d`. An object that no longer matches counts as
    /// deleted.
    #[must_use]
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.labels = Some(selector.into());
        self
    }

    /// Selects objects by fields, such as `metadata.name=web`. The API server supports only a few
    /// fields.
    #[must_use]
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = Some(selector.into());
        self
    }

    /// Watches all namespaces, regardless of `--watch-namespace`. The operator needs a
    /// `ClusterRole` for that.
    #[must_use]
    pub fn everywhere(mut self) -> Self {
        self.everywhere = true;
        self
    }
}

impl<T: Resource> Watch<T> {
    /// Caches children completely, like [`owns_whole`](crate::ControllerBuilder::owns_whole), for
    /// [`owns_with`](crate::ControllerBuilder::owns_with). Types that are not owned are always
    /// cached completely.
    #[must_use]
    pub fn whole(mut self) -> Self {
        self.whole = true;
        self
    }

    /// Counts only changes of this property, such as
    /// [`generation`](kube::runtime::predicates::generation): kube's predicates, or functions that
    /// return a hash. With several filters, a change of any property counts.
    ///
    /// Creation, deletion and changes of the finalizers always count.
    #[must_use]
    pub fn filter(self, property: impl Predicate<T> + Send + Sync + 'static) -> Self {
        self.filter_by(move |old, new| {
            let (old, new) = (property.hash_property(old), property.hash_property(new));
            old.is_none() || old != new
        })
    }

    /// Counts only changes for which a function returns true. It gets the old and the new object.
    #[must_use]
    pub fn filter_by(mut self, counts: impl Fn(&T, &T) -> bool + Send + Sync + 'static) -> Self {
        // If the filter panics, the change counts.
        let counts = move |old: &T, new: &T| user_code::call("a filter", true, || counts(old, new));
        self.filters.push(Arc::new(counts));
        self
    }

    pub(crate) fn has_filters(&self) -> bool {
        !self.filters.is_empty()
    }

    /// Whether a change counts. The beginning of a deletion always does: otherwise no cleanup would run.
    pub(crate) fn passes(filters: &[Filter<T>], old: Option<&T>, new: &T) -> bool {
        let Some(old) = old else { return true };
        let always = |object: &T| {
            let meta = object.meta();
            let (uid, deleted) = (meta.uid.clone(), meta.deletion_timestamp.clone());
            (uid, deleted, meta.finalizers.clone())
        };
        filters.is_empty()
            || always(old) != always(new)
            || filters.iter().any(|filter| filter(old, new))
    }
}

impl<T> Watch<T> {
    pub(crate) fn filters(&self) -> Vec<Filter<T>> {
        self.filters.clone()
    }

    /// Whether it selects all objects of the type.
    pub(crate) fn is_complete(&self) -> bool {
        self.labels.is_none() && self.fields.is_none()
    }

    /// What it selects.
    pub(crate) fn selection(&self) -> Selection {
        Selection {
            labels: self.labels.clone(),
            fields: self.fields.clone(),
            is_metadata: is_metadata::<T>(),
        }
    }
}

impl<T> Default for Watch<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Watch<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = formatter.debug_struct("Watch");
        debug.field("labels", &self.labels);
        debug.field("fields", &self.fields);
        debug.field("everywhere", &self.everywhere);
        debug.field("whole", &self.whole);
        debug.field("filters", &self.filters.len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use kube::runtime::predicates;
    use serde_json::{Value, json};

    use super::*;

    fn object(metadata: Value) -> ConfigMap {
        serde_json::from_value(json!({ "metadata": metadata })).unwrap()
    }

    fn passes(watch: &Watch<ConfigMap>, old: Value, new: Value) -> bool {
        let (old, new) = (object(old), object(new));
        Watch::passes(&watch.filters(), Some(&old), &new)
    }

    #[test]
    fn a_filter_lets_changes_of_its_property_through() {
        let watch = Watch::new().filter(predicates::generation);
        assert!(!passes(
            &watch,
            json!({"generation": 1}),
            json!({"generation": 1, "labels": {"a": "b"}})
        ));
        assert!(passes(
            &watch,
            json!({"generation": 1}),
            json!({"generation": 2})
        ));
        // An object without a generation always passes.
        assert!(passes(&watch, json!({}), json!({"labels": {"a": "b"}})));
        assert!(Watch::passes(
            &watch.filters(),
            None,
            &object(json!({"generation": 1}))
        ));
    }

    #[test]
    fn a_filter_that_panics_lets_everything_through() {
        let watch = Watch::new().filter_by(|_, _| panic!("on purpose"));
        assert!(passes(&watch, json!({}), json!({})));
    }

    #[test]
    fn one_of_several_filters_is_enough() {
        let watch = Watch::new()
            .filter(predicates::generation)
            .filter(predicates::labels);
        let (before, after) = (
            json!({"generation": 1}),
            json!({"generation": 1, "labels": {"a": "b"}}),
        );
        assert!(passes(&watch, before, after));
    }

    #[test]
    fn an_end_and_a_finalizer_always_count() {
        let watch = Watch::new().filter_by(|_, _| false);
        assert!(!passes(&watch, json!({}), json!({})));
        for new in [
            json!({"finalizers": ["a/b"]}),
            json!({"deletionTimestamp": "2026-01-01T00:00:00Z"}),
            json!({"uid": "2"}),
        ] {
            assert!(passes(&watch, json!({}), new.clone()), "{new}");
        }
    }
}
