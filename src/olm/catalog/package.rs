//! A new package of a catalog.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::error::{Code, Error, Result};
use crate::yaml;

use super::Catalog;
use super::blob::PACKAGE;

/// Icons are copied into each catalog.
const MOST_BYTES: usize = 1 << 20;

/// A package that is to be in a catalog.
#[derive(Debug)]
pub(crate) struct NewPackage {
    pub(crate) name: String,
    pub(crate) default_channel: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) icon: Option<Vec<u8>>,
}

/// The text of the file of a new package. None if the catalog has the package already.
///
/// # Errors
/// The icon is no image, or the catalog has the package with other settings.
pub(crate) fn create(catalog: &Catalog, package: &NewPackage) -> Result<Option<String>> {
    let mut blob = json!({"schema": PACKAGE, "name": package.name});
    if let Some(channel) = &package.default_channel {
        blob["defaultChannel"] = channel.clone().into();
    }
    if let Some(description) = &package.description {
        blob["description"] = description.clone().into();
    }
    if let Some(icon) = &package.icon {
        blob["icon"] = self::icon(icon)?;
    }
    let mut blobs = catalog.blobs.iter();
    let found = blobs.find(|it| it.schema() == PACKAGE && it.name() == package.name);
    let Some(found) = found else {
        return Ok(Some(format!("---\n{}", yaml::to_string(&blob)?)));
    };
    let fields = blob.as_object().into_iter().flatten();
    let mut differing = fields.filter(|(field, value)| found.value().get(*field) != Some(*value));
    match differing.next() {
        None => Ok(None),
        Some((field, _)) => Err(Error::new(
            Code::AlreadyExists,
            format!(
                "the package `{}` is in the catalog already, with another `{field}` ({}:{})",
                package.name,
                found.file,
                found.place(&format!("/{field}")).line
            ),
        )
        .hint("leave the flag out, or edit the file")),
    }
}

fn icon(data: &[u8]) -> Result<Value> {
    let wrong = |message: &str| {
        Error::new(Code::InvalidName, message).hint("use a PNG, JPEG, GIF or SVG file")
    };
    if data.len() > MOST_BYTES {
        return Err(wrong("the icon is larger than 1 MiB"));
    }
    let text = str::from_utf8(data).unwrap_or_default();
    let mediatype = match data {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', ..] => "image/gif",
        _ if text.contains("<svg") => "image/svg+xml",
        _ => return Err(wrong("the icon is no image")),
    };
    Ok(json!({"base64data": STANDARD.encode(data), "mediatype": mediatype}))
}
