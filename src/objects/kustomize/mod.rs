//! What kustomize makes of a folder of the project, without kustomize: in memory, in a millisecond, also of files that
//! a command is still to write.
//!
//! It knows what rop's own `config/` asks for and what users add to that most. Whatever it does not know, and whatever
//! kustomize would refuse, it leaves to kubectl as a whole: it never renders a part. Rules and field paths are those
//! of kustomize 5.

mod field;
mod images;
mod json_patch;
mod kustomization;
mod labels;
mod merge;
mod merge_keys;
mod names;
mod namespace;
mod order;
mod patches;
mod references;
mod resource;
mod sorted;
mod source;

use serde_json::Value;

use crate::disk::View;

use kustomization::Kustomization;
use references::NameReference;
use resource::Resource;
use source::Source;

/// No folder leads to more folders, one behind the other.
const DEEPEST: usize = 16;

/// The objects of a folder in the order in which kustomize gives them, or nothing if it takes kustomize.
pub(crate) fn render(view: &View, folder: &str) -> Option<Vec<Value>> {
    let mut layer = Layer::default();
    let source = Source::new(view);
    let kustomization = source.kustomization(folder)?;
    if kustomization.is_component() {
        return None;
    }
    layer.add_folder(&source, folder, &kustomization, DEEPEST)?;
    let Layer {
        mut resources,
        references,
    } = layer;
    names::follow(&mut resources, &references)?;
    order::sort(&mut resources);
    let objects = resources.into_iter().map(|resource| resource.value);
    Some(objects.map(sorted::sorted).collect())
}

/// What is known so far: a component changes what the folder has that lists it.
#[derive(Default)]
struct Layer {
    resources: Vec<Resource>,
    /// References that a folder's own configuration adds.
    references: Vec<NameReference>,
}

impl Layer {
    /// Adds the resources of a folder and changes them as its kustomization says.
    fn add_folder(
        &mut self,
        source: &Source<'_>,
        folder: &str,
        kustomization: &Kustomization,
        depth: usize,
    ) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        for path in &kustomization.resources {
            let path = source::path(folder, path)?;
            if source.is_file(&path) {
                self.resources.extend(source.resources(&path)?);
                continue;
            }
            let kustomization = source.kustomization(&path)?;
            if kustomization.is_component() {
                return None;
            }
            let mut below = Self::default();
            below.add_folder(source, &path, &kustomization, depth)?;
            self.resources.append(&mut below.resources);
            self.references.append(&mut below.references);
        }
        for path in &kustomization.configurations {
            let path = source::path(folder, path)?;
            self.references.extend(source.references(&path)?);
        }
        for path in &kustomization.components {
            let path = source::path(folder, path)?;
            let component = source.kustomization(&path)?;
            if !component.is_component() {
                return None;
            }
            self.add_folder(source, &path, &component, depth)?;
        }
        if resource::has_duplicates(&self.resources) {
            return None;
        }
        let resources = &mut self.resources;
        for patch in &kustomization.patches {
            let text = match (&patch.path, &patch.text) {
                (Some(path), None) => source.text(&source::path(folder, path)?)?,
                (None, Some(text)) => text.clone(),
                _ => return None,
            };
            patches::apply(resources, &text, patch.target.as_ref())?;
        }
        if let Some(namespace) = &kustomization.namespace {
            namespace::set(resources, namespace)?;
        }
        names::affix(resources, kustomization);
        for labels in &kustomization.labels {
            labels::add(resources, labels)?;
        }
        for image in &kustomization.images {
            images::set(resources, image)?;
        }
        (!resource::has_duplicates(resources)).then_some(())
    }
}

#[cfg(test)]
mod tests;
