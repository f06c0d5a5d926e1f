//! Where the fields of a kind are written, and their paths in objects.

use crate::error::Result;

use super::definition::{Definition, Definitions, Fields, Shape};
use super::krate::Crate;
use super::module::What;
use super::ty::Ty;

/// How deep fields are followed: types can contain themselves.
const DEPTH: usize = 12;

/// The most fields of a kind.
const MOST: usize = 20_000;

/// A line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) file: String,
    pub(crate) line: usize,
}

/// Where the types of a kind are written.
#[derive(Debug)]
pub(crate) struct KindLines {
    /// The type with kube's derive.
    pub(crate) kind: Line,
    /// Fields of the specification by their paths, such as `ports[0].name`.
    pub(crate) spec: Vec<(String, Line)>,
    /// Fields of the status.
    pub(crate) status: Vec<(String, Line)>,
}

/// Finds the type of a kind and all of its fields. None if kube's derive is not there.
///
/// # Errors
/// The types are not Rust.
pub(crate) fn lines(krate: &Crate<'_>, module: &[String], kind: &str) -> Result<KindLines> {
    let root = super::find_root(krate, module, kind)?;
    let definitions = Definitions::new(krate);
    let mut walk = Walk {
        definitions: &definitions,
        found: Vec::new(),
        left: MOST,
    };
    let mut lines = KindLines {
        kind: Line {
            file: String::new(),
            line: 0,
        },
        spec: Vec::new(),
        status: Vec::new(),
    };
    let Some(root @ Ty::Own(path, _)) = &root else {
        return Ok(lines);
    };
    let meanings = krate.meanings(path)?;
    let line = meanings.iter().find_map(|meaning| match &meaning.what {
        What::Root(root) => Some(root.item.ident.span().start().line),
        _ => None,
    });
    if let Some(definition) = definitions.get(root)?
        && let Shape::Root(spec, status) = &definition.shape
    {
        lines.kind = Line {
            file: definition.file.clone(),
            line: line.unwrap_or_default(),
        };
        walk.ty(spec, "", 0)?;
        lines.spec = std::mem::take(&mut walk.found);
        if let Some(status) = status {
            walk.ty(status, "", 0)?;
            lines.status = walk.found;
        }
    }
    Ok(lines)
}

struct Walk<'a> {
    definitions: &'a Definitions<'a>,
    found: Vec<(String, Line)>,
    left: usize,
}

impl Walk<'_> {
    /// The fields of a type, below a path.
    fn ty(&mut self, ty: &Ty, path: &str, depth: usize) -> Result<()> {
        if depth > DEPTH {
            return Ok(());
        }
        match ty {
            Ty::Own(..) => {
                if let Some(definition) = self.definitions.get(ty)? {
                    self.definition(&definition, path, depth + 1)?;
                }
            }
            Ty::Array(item, _) => self.ty(item, &format!("{path}[0]"), depth + 1)?,
            Ty::Outer(name, arguments) => {
                let [item] = &arguments[..] else {
                    return Ok(());
                };
                match name.rsplit("::").next().unwrap_or_default() {
                    "Option" | "Box" | "Rc" | "Arc" => self.ty(item, path, depth + 1)?,
                    "Vec" | "VecDeque" | "BTreeSet" | "HashSet" | "LinkedList" => {
                        self.ty(item, &format!("{path}[0]"), depth + 1)?;
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn definition(&mut self, definition: &Definition, path: &str, depth: usize) -> Result<()> {
        match &definition.shape {
            Shape::Struct(fields) => self.fields(definition, fields, path, depth),
            Shape::Enum(variants) => {
                for variant in variants {
                    let path = join(path, &variant.json);
                    self.fields(definition, &variant.fields, &path, depth)?;
                }
                Ok(())
            }
            Shape::Root(..) => Ok(()),
        }
    }

    fn fields(
        &mut self,
        definition: &Definition,
        fields: &Fields,
        path: &str,
        depth: usize,
    ) -> Result<()> {
        for field in &fields.list {
            if field.is_flat {
                self.ty(&field.ty, path, depth)?;
                continue;
            }
            let Some(left) = self.left.checked_sub(1) else {
                return Ok(());
            };
            self.left = left;
            let path = match field.line {
                // The only field of a newtype is what the type is.
                0 => path.to_owned(),
                line => {
                    let path = join(path, &field.json);
                    let file = definition.file.clone();
                    self.found.push((path.clone(), Line { file, line }));
                    path
                }
            };
            self.ty(&field.ty, &path, depth)?;
        }
        Ok(())
    }
}

fn join(path: &str, name: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{path}.{name}"),
    }
}
