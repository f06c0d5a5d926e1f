//! `images:` of a kustomization.

use serde_json::Value;

use crate::reference;

use super::kustomization::Image;
use super::resource::Resource;

/// Gives containers another image.
pub(super) fn set(resources: &mut [Resource], image: &Image) -> Option<()> {
    for resource in resources {
        if resource.kind().kind != "CustomResourceDefinition" {
            walk(&mut resource.value, image)?;
        }
    }
    Some(())
}

/// Goes through all lists of containers: kustomize takes each field of that name for one.
fn walk(value: &mut Value, image: &Image) -> Option<()> {
    match value {
        Value::Object(fields) => {
            for (field, value) in fields {
                walk(value, image)?;
                // A volume of an image has a reference, which is named otherwise.
                if field == "volumes"
                    && value.as_array()?.iter().any(|it| it.get("image").is_some())
                {
                    return None;
                }
                if field == "containers" || field == "initContainers" {
                    for container in value.as_array_mut().into_iter().flatten() {
                        if let Some(value) = container.get_mut("image") {
                            *value = replaced(value.as_str()?, image).into();
                        }
                    }
                }
            }
        }
        Value::Array(items) => items.iter_mut().try_for_each(|item| walk(item, image))?,
        _ => {}
    }
    Some(())
}

fn replaced(value: &str, image: &Image) -> String {
    let (name, mut tag, mut digest) = reference::split(value);
    if name != image.name {
        return value.to_owned();
    }
    if image.new_tag.is_some() || image.digest.is_some() {
        (tag, digest) = (image.new_tag.as_deref(), image.digest.as_deref());
    }
    let mut replaced = image.new_name.as_deref().unwrap_or(name).to_owned();
    for (mark, part) in [(':', tag), ('@', digest)] {
        if let Some(part) = part.filter(|part| !part.is_empty()) {
            replaced.push(mark);
            replaced.push_str(part);
        }
    }
    replaced
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_with_their_tags() {
        let image = |name: Option<&str>, tag: Option<&str>, digest: Option<&str>| Image {
            name: "controller".to_owned(),
            new_name: name.map(str::to_owned),
            new_tag: tag.map(str::to_owned),
            digest: digest.map(str::to_owned),
        };
        let new = image(Some("example.com:5000/a"), Some("v1"), None);
        assert_eq!(replaced("controller:latest", &new), "example.com:5000/a:v1");
        assert_eq!(
            replaced("controller@sha256:00", &new),
            "example.com:5000/a:v1"
        );
        assert_eq!(replaced("controllers:latest", &new), "controllers:latest");
        let name = image(Some("b"), None, None);
        assert_eq!(replaced("controller:latest", &name), "b:latest");
        let digest = image(None, None, Some("sha256:00"));
        assert_eq!(replaced("controller:1", &digest), "controller@sha256:00");
    }
}
