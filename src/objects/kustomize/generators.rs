//! `configMapGenerator:` and `secretGenerator:` of a kustomization.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use super::generator::{Generator, GeneratorOptions};
use super::resource::Resource;
use super::source::{self, Source};

/// kustomize breaks the lines of base64 there.
const LINE: usize = 70;

/// kustomize reads no longer line of a file of variables, and says nothing.
const LONGEST: usize = 60 << 10;

impl Generator {
    /// The object. Its name gets a hash at the end.
    pub(super) fn generate(
        &self,
        kind: &str,
        common: &GeneratorOptions,
        source: &Source<'_>,
        folder: &str,
    ) -> Option<Resource> {
        let mut object = json!({"apiVersion": "v1", "kind": kind, "metadata": {"name": self.name}});
        if let Some(namespace) = &self.namespace {
            object["metadata"]["namespace"] = namespace.clone().into();
        }
        let mut data = self.data(source, folder)?;
        match (kind, &self.r#type) {
            ("Secret", of) => {
                object["type"] = of.as_deref().unwrap_or("Opaque").into();
                for value in data.values_mut() {
                    *value = base64(value.as_str()?).into();
                }
                object["data"] = data.into();
            }
            (_, None) if data.is_empty() => {}
            (_, None) => object["data"] = data.into(),
            _ => return None,
        }
        for (field, own, common) in [
            ("labels", &self.options.labels, &common.labels),
            (
                "annotations",
                &self.options.annotations,
                &common.annotations,
            ),
        ] {
            let both: BTreeMap<_, _> = common.iter().chain(own).collect();
            if !both.is_empty() {
                object["metadata"][field] = json!(both);
            }
        }
        if self.options.immutable || common.immutable {
            object["immutable"] = true.into();
        }
        let is_plain = self.options.disable_name_suffix_hash || common.disable_name_suffix_hash;
        Some(Resource::new(object)?.with_hash(!is_plain))
    }

    fn data(&self, source: &Source<'_>, folder: &str) -> Option<Map<String, Value>> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        for path in self.envs.iter().chain(&self.env) {
            let text = source.raw(&source::file(folder, path)?)?;
            pairs.extend(variables(&text)?);
        }
        for literal in &self.literals {
            let (key, value) = literal.split_once('=')?;
            pairs.push((key.to_owned(), unquoted(value).to_owned()));
        }
        for file in &self.files {
            let (key, path) = match file.split_once('=') {
                None => (file.rsplit('/').next()?, &**file),
                Some((key, path)) => (key, path),
            };
            if path.is_empty() || path.contains('=') {
                return None;
            }
            pairs.push((key.to_owned(), source.raw(&source::file(folder, path)?)?));
        }
        let mut data = Map::new();
        for (key, value) in pairs {
            let is_new = !key.is_empty() && is_plain(&value) && !data.contains_key(&key);
            is_new.then(|| data.insert(key, value.into()))?;
        }
        Some(data)
    }
}

/// The variables of a file: `NAME=value` lines.
fn variables(text: &str) -> Option<Vec<(String, String)>> {
    if text.starts_with('\u{feff}') || text.lines().any(|line| line.len() > LONGEST) {
        return None;
    }
    let lines = text
        .lines()
        .map(str::trim_start)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let pairs = lines.map(|line| line.split_once('=').unwrap_or((line, "")));
    Some(
        pairs
            .map(|(key, value)| (key.to_owned(), value.to_owned()))
            .collect(),
    )
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

/// Whether kustomize writes a text in YAML so that it reads the same.
fn is_plain(text: &str) -> bool {
    let is_special = |c: char| c.is_control() && c != '\n' && c != '\t';
    let others = ['\u{feff}', '\u{2028}', '\u{2029}'];
    !text.starts_with([' ', '\n', '\t']) && !text.contains(is_special) && !text.contains(others)
}

fn base64(text: &str) -> String {
    let mut encoded = STANDARD.encode(text);
    if encoded.len() >= LINE {
        let lines = encoded.as_bytes().chunks(LINE).map(String::from_utf8_lossy);
        encoded = lines.map(|line| format!("{line}\n")).collect();
    }
    encoded
}
