//! Lossless conversion from the hub to a spoke, and back.

use serde_json::{Value, json};

use super::kept::{Content, Kept, content, differing, forget, set_content};
use super::merge::merge;
use super::plain::Plain;

/// A version of a kind.
#[derive(Clone)]
pub(super) struct Version {
    /// Its name, such as `v1`.
    pub(super) name: String,
    /// The `apiVersion`, with the group.
    pub(super) api_version: String,
    /// The annotation with the fields of this version that another one cannot represent.
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

/// The conversion from one version to another.
#[derive(Clone, Copy)]
pub(super) struct Way<'a> {
    pub(super) from: &'a Version,
    pub(super) to: &'a Version,
    pub(super) to_target: Plain,
    pub(super) back: Plain,
}

/// The result of a conversion.
pub(crate) struct Converted {
    pub(crate) object: Value,
    /// Why the object could not be parsed and has no content now.
    pub(crate) unreadable: Option<serde_json::Error>,
    /// The fields that the version cannot represent, and for which the annotations have no room.
    pub(crate) lost: Vec<String>,
}

impl Converted {
    pub(super) fn new(object: Value) -> Self {
        Self {
            object,
            unreadable: None,
            lost: Vec::new(),
        }
    }
}

impl Way<'_> {
    /// Converts an object. Keeps fields that the other version cannot represent in an annotation, and restores
    /// previously kept ones if the type can parse them: anyone who writes the object can write the annotation.
    pub(super) fn convert(&self, object: &Value) -> Converted {
        let kept = Kept::of(object, &self.to.annotation);
        let mut plain = match (self.to_target)(object) {
            Ok(plain) => plain,
            Err(error) => return self.unreadable(object, kept, error),
        };
        forget(&mut plain, &self.to.annotation);
        if self.waits(object) {
            return Converted::new(plain);
        }
        // The annotation of its own version describes an object of which this one is a copy.
        forget(&mut plain, &self.from.annotation);
        let mut converted = plain.clone();
        let has_kept = kept.is_some();
        if let Some(kept) = kept {
            set_content(&mut converted, self.restored(object, kept, content(&plain)));
        }

        let before = content(object);
        let mut back = self.content_back(&converted);
        if back.is_none() && has_kept {
            converted.clone_from(&plain);
            back = self.content_back(&converted);
            if before.is_empty() {
                let kept = object["metadata"]["annotations"][&self.to.annotation].clone();
                converted["metadata"]["annotations"][&self.to.annotation] = kept;
            }
        }
        if back.as_ref() == Some(&before) {
            return Converted::new(converted);
        }
        let lost = differing(&before, back.as_ref().unwrap_or(&Content::new()));
        // Both versions keep fields: the restored ones may matter on the way back.
        let usual =
            back.filter(|back| has_kept && self.content_back(&plain).as_ref() != Some(back));
        let kept = Kept {
            content: before,
            usual,
        };
        let fits = kept.put(&mut converted, &self.from.annotation);
        Converted {
            lost: if fits { Vec::new() } else { lost },
            ..Converted::new(converted)
        }
    }

    /// Whether an object has no content because its type cannot parse the annotation of its version.
    fn waits(&self, object: &Value) -> bool {
        let kept = Kept::of(object, &self.from.annotation)
            .filter(|kept| !kept.content.is_empty() && content(object).is_empty());
        kept.is_some_and(|kept| {
            let mut restored = object.clone();
            set_content(&mut restored, kept.content);
            (self.to_target)(&restored).is_err()
        })
    }

    /// The kept content, with the changes since.
    fn restored(&self, object: &Value, kept: Kept, new: Content) -> Content {
        let mut copy = object.clone();
        copy["apiVersion"] = json!(self.to.api_version);
        set_content(&mut copy, kept.content.clone());
        let round_trip = || {
            let original = (self.back)(&copy).ok()?;
            Some(content(&(self.to_target)(&original).ok()?))
        };
        match kept.usual.or_else(round_trip) {
            Some(usual) => {
                let merged = merge(&kept.content.into(), &usual.into(), &new.into());
                content(&merged)
            }
            // It cannot be parsed, and has not been replaced.
            None if content(object).is_empty() => kept.content,
            None => new,
        }
    }

    fn content_back(&self, converted: &Value) -> Option<Content> {
        Some(content(&(self.back)(converted).ok()?))
    }

    /// The conversion of an object that its type cannot parse: an error would make it impossible to list objects of the
    /// kind. In the other version it has no content, which is in the annotation. In its own version, it gets the
    /// content back as soon as its type can parse it.
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
            let Some(kept) = kept else {
                return Converted::new(converted);
            };
            let mut restored = converted.clone();
            set_content(&mut restored, kept.content);
            if let Err(error) = (self.back)(&restored) {
                return Converted {
                    unreadable: Some(error),
                    ..Converted::new(converted)
                };
            }
            forget(&mut restored, &self.to.annotation);
            return Converted::new(restored);
        }
        if kept.is_some_and(|kept| kept.content.is_empty()) {
            forget(&mut converted, &self.to.annotation);
        }
        let lost = before.keys().cloned().collect();
        let kept = Kept {
            content: before,
            usual: None,
        };
        let fits = kept.put(&mut converted, &self.from.annotation);
        Converted {
            unreadable: Some(error),
            lost: if fits { Vec::new() } else { lost },
            ..Converted::new(converted)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splits a sum: everything becomes the first part.
    #[expect(clippy::unnecessary_wraps, reason = "it is one of the conversions")]
    fn up(object: &Value) -> serde_json::Result<Value> {
        let mut converted = object.clone();
        set_content(&mut converted, Content::new());
        converted["spec"] = json!({ "first": object["spec"]["sum"], "second": 0 });
        Ok(converted)
    }

    /// Adds two parts.
    #[expect(clippy::unnecessary_wraps, reason = "it is one of the conversions")]
    fn down(object: &Value) -> serde_json::Result<Value> {
        let part = |name: &str| object["spec"][name].as_i64().unwrap_or_default();
        let mut converted = object.clone();
        set_content(&mut converted, Content::new());
        converted["spec"] = json!({ "sum": part("first") + part("second") });
        Ok(converted)
    }

    /// The fields kept of one version matter when those of the other are restored.
    #[test]
    fn two_versions_that_both_keep_something_do_not_change_each_other() {
        let versions = ["v1", "v2"].map(|name| Version::new("shop.example.com", name));
        let [hub, spoke] = &versions;
        let to_spoke = Way {
            from: hub,
            to: spoke,
            to_target: down,
            back: up,
        };
        let to_hub = Way {
            from: spoke,
            to: hub,
            to_target: up,
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
