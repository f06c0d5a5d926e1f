//! The Rust conversions between two versions of a kind, made from their types.
//!
//! They are a start, which is the user's: a field that both versions have goes over, and one that only the target has
//! gets its default. What is not understood does not compile, and says what to write.
//!
//! [`Crate`] reads the modules of the API crate as paths lead to them, [`types`] says what a written type means,
//! [`pairs`] which types become each other, and [`way`] and [`bodies`] how.

mod attribute;
mod bodies;
mod defaults;
mod definition;
mod expression;
mod fields;
mod implementation;
mod krate;
mod layout;
mod module;
mod moved;
mod pairs;
mod parse;
mod root;
mod scope;
mod serde_name;
mod source;
#[cfg(test)]
mod tests;
mod token_path;
mod ty;
mod types;
mod visible;
mod way;
mod written;

use crate::error::{Code, Error, Result};

use definition::Definitions;
use module::{Path, What};
use pairs::Pairs;
use ty::Ty;
use visible::Place;
use way::Way;

pub(crate) use fields::{KindLines, Line, lines};
pub(crate) use krate::{Crate, Read};
pub(crate) use moved::Move;

/// The start of a line that does not compile.
const MISSING: &str = "compile_error!(";

/// Two versions of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Versions<'a> {
    pub(crate) kind: &'a str,
    /// The module of its group in the API crate.
    pub(crate) group: &'a str,
    /// Its own module in that of a version.
    pub(crate) module: &'a str,
    /// What the versions are called, and their modules too.
    pub(crate) older: &'a str,
    pub(crate) newer: &'a str,
    /// The module of the conversion, beside the types of the newer version.
    pub(crate) conversion: &'a str,
}

/// The module beside the types of the newer version that converts them to and from those of the older one.
///
/// # Errors
/// The types are not Rust, or kube's derive is not there.
pub(crate) fn source(versions: Versions<'_>, read: Read<'_>) -> Result<String> {
    let Versions {
        kind,
        group,
        module,
        older,
        newer,
        conversion,
    } = versions;
    let path = |parts: &[&str]| -> Path { parts.iter().map(|part| (*part).to_owned()).collect() };
    let modules = [older, newer].map(|version| path(&[group, version, module]));
    let mut expected = vec![path(&[group]), path(&[group, older]), path(&[group, newer])];
    expected.extend(modules.iter().cloned());
    let krate = Crate::new(read, expected);
    let [older_root, newer_root] =
        [&modules[0], &modules[1]].map(|module| root(&krate, module, kind));
    let roots = (older_root?, newer_root?);
    let written = written::conversions(&krate, &modules)?;
    let [older_module, newer_module] = modules;
    let place = Place {
        krate: &krate,
        module: path(&[group, newer, conversion]),
        aliases: [(newer, newer_module), (older, older_module)],
    };
    let pairs = Pairs::new(Definitions::new(&krate), place, written);
    let way = |is_up: bool| Way {
        pairs: &pairs,
        from: if is_up { older } else { newer },
        to: if is_up { newer } else { older },
        is_up,
    };
    if let Err(why) = pairs.join(&roots.0, &roots.1)? {
        return Err(Error::new(Code::ConversionNotGenerated, why)
            .hint("write the conversions by hand, as `From` both ways"));
    }
    let mut implementations = Vec::new();
    while let Some(pair) = pairs.next() {
        let mut directions = Vec::new();
        // What somebody wrote is there already.
        if !pairs.written.contains(&pair) {
            directions.push(way(true).implementation(&pair.0, &pair.1)?);
        }
        if !pairs.written.contains(&(pair.1.clone(), pair.0.clone())) {
            directions.push(way(false).implementation(&pair.1, &pair.0)?);
        }
        implementations.push((pairs.rank(&pair)?, directions));
    }
    implementations.sort();
    let implementations: Vec<_> = implementations
        .into_iter()
        .flat_map(|(_, directions)| directions)
        .collect();
    let mut text = format!(
        "//! Conversion of `{kind}` between `{older}` and `{newer}`.\n\
         //!\n\
         //! A conversion must not fail: a single failure breaks every list and watch of the kind. Fields that\n\
         //! the other version lacks are kept in an annotation and restored; the round-trip test lists them.\n\
         \n\
         {}use super::{module} as {newer};\n\
         use crate::{group}::{older}::{module} as {older};\n",
        imports(&implementations)
    );
    for implementation in implementations {
        text.push('\n');
        text.push_str(&implementation);
    }
    Ok(text)
}

/// The import of the maps and sets that conversions name.
fn imports(implementations: &[String]) -> String {
    let is_used = |name: &&str| {
        let applied = format!("{name}<");
        implementations.iter().any(|text| {
            text.lines()
                .any(|line| !line.contains('"') && line.contains(&applied))
        })
    };
    let names: Vec<_> = [
        "BTreeMap",
        "BTreeSet",
        "BinaryHeap",
        "HashMap",
        "HashSet",
        "LinkedList",
        "VecDeque",
    ]
    .into_iter()
    .filter(is_used)
    .collect();
    match &names[..] {
        [] => String::new(),
        [name] => format!("use std::collections::{name};\n\n"),
        names => format!("use std::collections::{{{}}};\n\n", names.join(", ")),
    }
}

/// The files of a module and of those in it, each with the path of its module.
pub(crate) fn files(krate: &Crate<'_>, module: &[String]) -> Result<Vec<(String, Vec<String>)>> {
    let modules = krate.below(module)?;
    let of_files = modules
        .iter()
        .filter(|module| !module.is_inline && !module.file.is_empty());
    Ok(of_files
        .map(|module| (module.file.clone(), module.path.clone()))
        .collect())
}

/// The lines of a conversion that do not compile, with their numbers.
pub(crate) fn missing(text: &str) -> Vec<usize> {
    let lines = text.lines().zip(1..);
    let missing = lines.filter(|(line, _)| line.contains(MISSING));
    missing.map(|(_, number)| number).collect()
}

/// The type that kube's derive makes of a kind.
fn root(krate: &Crate<'_>, module: &[String], kind: &str) -> Result<Ty> {
    find_root(krate, module, kind)?.ok_or_else(|| {
        Error::new(
            Code::ConversionNotGenerated,
            "no type has kube's derive, `#[kube(…, kind = …)]`",
        )
        .hint("write the conversions by hand, as `From` both ways")
    })
}

/// As [`root()`], if there is one.
fn find_root(krate: &Crate<'_>, module: &[String], kind: &str) -> Result<Option<Ty>> {
    let mut found = Vec::new();
    for module in krate.below(module)? {
        for (name, meanings) in &module.names {
            for meaning in meanings {
                if let What::Root(root) = &meaning.what {
                    let path = [&module.path[..], std::slice::from_ref(name)].concat();
                    found.push((root.kind != kind, path));
                }
            }
        }
    }
    found.sort();
    let first = found.into_iter().next();
    Ok(first.map(|(_, path)| Ty::Own(path, Vec::new())))
}
