//! What kustomize makes of a folder of the project, without kustomize: in memory, in a millisecond, also of files that
//! a command is still to write.
//!
//! It knows what rop's own `config/` asks for and what users add to that most. Whatever it does not know, and whatever
//! kustomize would refuse, it leaves to kubectl as a whole: it never renders a part. Rules and field paths are those
//! of kustomize 5.

mod annotations;
mod budget;
mod field;
mod field_path;
mod generator;
mod generators;
mod hash;
mod images;
mod json_patch;
mod kustomization;
mod labels;
mod merge;
mod merge_keys;
mod names;
mod namespace;
mod order;
mod parsed;
mod patches;
mod references;
mod replacement;
mod replacements;
mod replicas;
mod resource;
mod select;
mod source;
mod target;
mod transformers;

use serde_json::Value;

use crate::disk::View;

use kustomization::{Kustomization, Patch};
pub(crate) use parsed::Parsed;
use references::NameReference;
use replacement::ListedReplacement;
use resource::Resource;
use source::Source;
pub(crate) use source::{FILE_NAMES, Unrendered};
use transformers::Transformer;

/// No folder leads to more folders, one behind the other.
const DEEPEST: usize = 16;

/// The steps that it takes to read a patch and its target.
const PATCH: usize = 1000;

/// The objects of a folder in the order in which kustomize gives them.
///
/// # Errors
/// It takes kustomize, or is refused.
pub(crate) fn render(view: &View, folder: &str, parsed: &Parsed) -> Result<Vec<Value>, Unrendered> {
    let source = Source::new(view, parsed);
    let objects = objects(&source, folder);
    objects.ok_or_else(|| source.reason(folder))
}

fn objects(source: &Source<'_>, folder: &str) -> Option<Vec<Value>> {
    let mut layer = Layer::default();
    let kustomization = source.kustomization(folder)?;
    if kustomization.is_component() {
        return None;
    }
    layer.add_folder(source, folder, &kustomization, DEEPEST)?;
    let Layer {
        mut resources,
        references,
    } = layer;
    source.enter(format_args!("names of objects in `{folder}`"));
    hash::add(&mut resources)?;
    let is_renamed = resources.iter().any(|it| !it.earlier().is_empty());
    if is_renamed && resources.iter().any(Resource::is_namesake) {
        return None;
    }
    names::update_references(&mut resources, &references)?;
    order::sort(&mut resources);
    let objects = resources.into_iter().map(|mut resource| {
        // As kustomize writes them.
        resource.value.sort_all_objects();
        resource.value
    });
    Some(objects.collect())
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
        for path in kustomization.resources.iter().chain(&kustomization.bases) {
            self.add_resource(source, folder, path, depth)?;
        }
        for path in &kustomization.configurations {
            let path = source::file(folder, path)?;
            source.enter(format_args!("`{path}`"));
            self.references.extend(source.references(&path)?);
        }
        self.generate(source, folder, kustomization)?;
        for path in &kustomization.components {
            let path = source::path(folder, path)?;
            let component = source.kustomization(&path)?;
            if !component.is_component() {
                return None;
            }
            self.add_folder(source, &path, &component, depth)?;
        }
        source.enter(format_args!("objects of `{folder}` with the same name"));
        if resource::has_duplicates(&self.resources) {
            return None;
        }
        self.transform(source, folder, kustomization)?;
        (!resource::has_duplicates(&self.resources)).then_some(())
    }

    /// Adds the objects of a file or a folder.
    fn add_resource(
        &mut self,
        source: &Source<'_>,
        folder: &str,
        path: &str,
        depth: usize,
    ) -> Option<()> {
        source.enter(format_args!("resource `{path}` of `{folder}`"));
        let found = source::path(folder, path)?;
        if source.is_file(&found) {
            let path = source::file(folder, path)?;
            self.resources.extend_from_slice(&source.resources(&path)?);
            return Some(());
        }
        let kustomization = source.kustomization(&found)?;
        if kustomization.is_component() {
            return None;
        }
        let mut below = Self::default();
        below.add_folder(source, &found, &kustomization, depth)?;
        self.resources.append(&mut below.resources);
        self.references.append(&mut below.references);
        Some(())
    }

    /// Adds what generators create.
    fn generate(
        &mut self,
        source: &Source<'_>,
        folder: &str,
        kustomization: &Kustomization,
    ) -> Option<()> {
        let options = &kustomization.generator_options;
        for (kind, generators) in [
            ("ConfigMap", &kustomization.config_map_generator),
            ("Secret", &kustomization.secret_generator),
        ] {
            source.enter(format_args!("generators of {kind}s in `{folder}`"));
            for generator in generators {
                let new = generator.generate(kind, options, source, folder)?;
                source.budget.spend(self.resources.len())?;
                if resource::has(&self.resources, &new) {
                    return None;
                }
                self.resources.push(new);
            }
        }
        Some(())
    }

    /// Changes what there is, in kustomize's order of steps.
    fn transform(
        &mut self,
        source: &Source<'_>,
        folder: &str,
        kustomization: &Kustomization,
    ) -> Option<()> {
        let resources = &mut self.resources;
        if resources.iter().any(Resource::is_namesake) && !kustomization.only_lists() {
            source.enter(format_args!(
                "changes in `{folder}` of kinds that are named as those of Kubernetes"
            ));
            return None;
        }
        let enter = |step: &str| source.enter(format_args!("{step} in `{folder}`"));
        enter("patches");
        for patch in &kustomization.patches_strategic_merge {
            let text = if patch.contains('\n') {
                patch.clone()
            } else {
                source.text(&source::file(folder, patch)?)?
            };
            source.budget.spend(PATCH + text.len())?;
            source.check_patch(&text)?;
            patches::apply(resources, &text, None, &source.budget)?;
        }
        for (number, patch) in (1..).zip(&kustomization.patches) {
            enter(&format!("patch {number}"));
            apply(resources, patch, source, folder)?;
        }
        if let Some(namespace) = &kustomization.namespace {
            enter("namespace");
            namespace::set(resources, namespace)?;
        }
        names::affix(resources, kustomization);
        enter("labels and annotations");
        let budget = &source.budget;
        for labels in &kustomization.labels {
            labels::add(resources, labels, budget)?;
        }
        labels::add_common(resources, &kustomization.common_labels, budget)?;
        annotations::add(resources, &kustomization.common_annotations, budget)?;
        enter("patches");
        for patch in &kustomization.json_patches {
            apply(resources, patch, source, folder)?;
        }
        enter("replicas");
        for replicas in &kustomization.replicas {
            replicas::set(resources, replicas)?;
        }
        enter("images");
        for image in &kustomization.images {
            images::set(resources, image)?;
        }
        enter("replacements");
        replace(resources, &kustomization.replacements, source, folder)?;
        enter("transformers");
        for transformer in transformers::read(source, folder, &kustomization.transformers)? {
            enter("transformers");
            match transformer {
                Transformer::Patch(patch) => apply(resources, &patch, source, folder)?,
                Transformer::Replacements(list) => replace(resources, &list, source, folder)?,
            }
        }
        Some(())
    }
}

/// Applies a patch, which a file may have.
fn apply(
    resources: &mut Vec<Resource>,
    patch: &Patch,
    source: &Source<'_>,
    folder: &str,
) -> Option<()> {
    source.budget.spend(PATCH + resources.len())?;
    let text = match (&patch.path, &patch.text) {
        (Some(path), None) => source.text(&source::file(folder, path)?)?,
        (None, Some(text)) => text.clone(),
        _ => return None,
    };
    source.budget.spend(text.len())?;
    source.check_patch(&text)?;
    patches::apply(resources, &text, patch.target.as_ref(), &source.budget)
}

/// Carries out replacements, which files may have.
fn replace(
    resources: &mut [Resource],
    list: &[ListedReplacement],
    source: &Source<'_>,
    folder: &str,
) -> Option<()> {
    for listed in list {
        match listed {
            ListedReplacement::File(file) => {
                for replacement in source.replacements(&source::file(folder, &file.path)?)? {
                    replacements::apply(resources, &replacement, &source.budget)?;
                }
            }
            ListedReplacement::Inline(replacement) => {
                replacements::apply(resources, replacement, &source.budget)?;
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests;
