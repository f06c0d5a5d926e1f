//! The way from the hub to a spoke, or back, on which nothing is lost.

use serde_json::{Value, json};

use super::kept::{Content, Kept, content, forget, set_content};
use super::merge::merge;
use super::plain::Plain;

/// A version of a kind.
#[derive(Clone)]
pub(super) struct Version {
    /// Its name, such as `v1`.
    pub(super) name: String,
    /// With the group.
    pub(super) api_version: String,
    /// The annotation that holds what an object had in this version.
    pub(super) annotation: String,
}

impl Version {
    pub(super) fn new(group: &str, name: &str) -> Self {
        Self {
            name: name.to_owned(),
            api_version: format!("{group}/{name}"),
            annotation: format!("{group}/conversion-data.{name}"),
        }
    }
}

/// From one version to another.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) from: &'a Version,
    pub(super) to: &'a Version,
    pub(super) there: Plain,
    pub(super) back: Plain,
}

/// What becomes of an object.
pub(crate) struct Converted {
    pub(crate) object: Value,
    /// Why it could not be read, and has no content now.
    pub(crate) unreadable: Option<serde_json::Error>,
    /// What the version cannot hold has no room in the annotations.
    pub(crate) is_too_large: bool,
}

impl Converted {
    pub(super) fn new(object: Value) -> Self {
        Self {
            object,
            unreadable: None,
            is_too_large: false,
        }
    }
}

impl Way<'_> {
    /// Converts an object. What the other version cannot hold is kept in an annotation, and what that kept before is
    /// put back.
    pub(super) fn convert(&self, object: &Value) -> Converted {
        let kept = Kept::of(object, &self.to.annotation);
        let plain = match (self.there)(object) {
            Ok(plain) => plain,
            Err(error) => return self.unreadable(object, kept, error),
        };
        let has_kept = kept.is_some();
        let mut converted = plain.clone();
        if let Some(kept) = kept {
            set_content(&mut converted, self.restored(object, kept, content(&plain)));
        }
        forget(&mut converted, &self.to.annotation);
        // That of its own version tells of an object that this one is a copy of.
        forget(&mut converted, &self.from.annotation);

        let before = content(object);
        let back = self.content_back(&converted);
        if back.as_ref() == Some(&before) {
            return Converted::new(converted);
        }
        // Both versions keep something: what was put back may count on the way back.
        let usual =
            back.filter(|back| has_kept && self.content_back(&plain).as_ref() != Some(back));
        let kept = Kept {
            content: before,
            usual,
        };
        let fits = kept.put(&mut converted, &self.from.annotation);
        Converted {
            is_too_large: !fits,
            ..Converted::new(converted)
        }
    }

    /// What was kept, with what was changed since.
    fn restored(&self, object: &Value, kept: Kept, new: Content) -> Content {
        let mut copy = object.clone();
        copy["apiVersion"] = json!(self.to.api_version);
        set_content(&mut copy, kept.content.clone());
        let round_trip = || {
            let there = (self.back)(&copy).ok()?;
            Some(content(&(self.there)(&there).ok()?))
        };
        match kept.usual.or_else(round_trip) {
            Some(usual) => {
                let merged = merge(&kept.content.into(), &usual.into(), &new.into());
                content(&merged)
            }
            // It cannot be read, and nothing was put in its place.
            None if content(object).is_empty() => kept.content,
            None => new,
        }
    }

    fn content_back(&self, converted: &Value) -> Option<Content> {
        Some(content(&(self.back)(converted).ok()?))
    }

    /// An object that its type cannot be read from: if that failed, no object of the kind could be listed any more. It
    /// has no content in the other version, and gets it back in its own.
    fn unreadable(
        &self,
        object: &Value,
        kept: Option<Kept>,
        error: serde_json::Error,
    ) -> Converted {
        let before = content(object);
        let mut converted = object.clone();
        converted["apiVersion"] = json!(self.to.api_version);
        set_content(&mut converted, Content::new());
        if before.is_empty() {
            if let Some(kept) = kept {
                set_content(&mut converted, kept.content);
                forget(&mut converted, &self.to.annotation);
            }
            return Converted::new(converted);
        }
        if kept.is_some_and(|kept| kept.content.is_empty()) {
            forget(&mut converted, &self.to.annotation);
        }
        let kept = Kept {
            content: before,
            usual: None,
        };
        let fits = kept.put(&mut converted, &self.from.annotation);
        Converted {
            object: converted,
            unreadable: Some(error),
            is_too_large: !fits,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sum becomes its first part.
    #[expect(clippy::unnecessary_wraps, reason = "it is one of the conversions")]
    fn up(object: &Value) -> serde_json::Result<Value> {
        let mut converted = object.clone();
        set_content(&mut converted, Content::new());
        converted["spec"] = json!({ "first": object["spec"]["sum"], "second": 0 });
        Ok(converted)
    }

    /// Two parts become their sum.
    #[expect(clippy::unnecessary_wraps, reason = "it is one of the conversions")]
    fn down(object: &Value) -> serde_json::Result<Value> {
        let part = |name: &str| object["spec"][name].as_i64().unwrap_or_default();
        let mut converted = object.clone();
        set_content(&mut converted, Content::new());
        converted["spec"] = json!({ "sum": part("first") + part("second") });
        Ok(converted)
    }

    /// What was kept of the one version counts when what is kept of the other one is put back.
    #[test]
    fn two_versions_that_both_keep_something_do_not_change_each_other() {
        let versions = ["v1", "v2"].map(|name| Version::new("shop.example.com", name));
        let [hub, spoke] = &versions;
        let to_spoke = Way {
            from: hub,
            to: spoke,
            there: down,
            back: up,
        };
        let to_hub = Way {
            from: spoke,
            to: hub,
            there: up,
            back: down,
        };
        let parts = json!({ "metadata": {}, "spec": { "first": 3, "second": 2 } });
        let mut sum = to_spoke.convert(&parts).object;
        assert_eq!(to_hub.convert(&sum).object["spec"], parts["spec"]);
        sum["spec"] = json!({ "sum": 6, "color": "red" });
        let parts = to_hub.convert(&sum).object;
        let again = to_spoke.convert(&parts).object;
        assert_eq!(again["spec"], sum["spec"]);
        assert_eq!(to_hub.convert(&again).object, parts);
    }
}
