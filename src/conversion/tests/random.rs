//! Conversions of random types: nothing panics, and what is made is Rust that rustfmt leaves alone.

use std::fmt::Write as _;

use fastrand::Rng;

use super::{formatted, of_files};

/// How many pairs of versions are tried.
const ROUNDS: u64 = 150;
/// Two versions of random types that use each other, in random modules.
struct Types {
    random: Rng,
    /// What is another in this version.
    changes: Option<Rng>,
    /// How many types there are.
    count: usize,
    /// The one that is written.
    current: usize,
}

impl Types {
    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.random.usize(..of.len())]
    }

    /// Whether something is another in this version.
    fn changes(&mut self) -> bool {
        self.changes
            .as_mut()
            .is_some_and(|changes| changes.u8(..12) == 0)
    }

    fn type_(&mut self, depth: usize) -> String {
        if depth == 0 || self.random.u8(..4) == 0 {
            let plain = [
                "String",
                "i32",
                "i64",
                "u8",
                "bool",
                "EnvVar",
                "Text",
                "crate::Shared",
            ];
            let any = self.random.usize(..self.count);
            let later = self
                .random
                .usize(self.current..self.count.max(self.current + 1))
                + 1;
            return match self.random.u8(..8) {
                0 | 1 => self.pick(&plain).to_owned(),
                // Only what is in a list can be around it.
                2 => format!("Vec<S{any}>"),
                3 => format!("Option<Box<S{any}>>"),
                _ if later < self.count => format!("T{later}"),
                _ => "String".to_owned(),
            };
        }
        let inner = self.type_(depth - 1);
        match self.random.u8(..12) {
            0 | 1 => format!("Option<{inner}>"),
            2 => format!("Box<{inner}>"),
            3 | 4 => format!("Vec<{inner}>"),
            5 => format!("BTreeMap<String, {inner}>"),
            6 => format!("std::collections::HashMap<String, {inner}>"),
            7 => format!("[{inner}; 3]"),
            8 => {
                let other = self.type_(depth - 1);
                format!("({inner}, {other})")
            }
            9 => format!("Wrapper<{inner}>"),
            10 => format!("Many<{inner}>"),
            _ => format!("({inner},)"),
        }
    }

    fn fields(&mut self, before: &str) -> String {
        let names = ["a", "by_name", "r#type", "long_name_of_a_field", "x1", "z"];
        let mut fields = String::new();
        for name in names {
            if self.random.u8(..3) == 0 {
                continue;
            }
            let depth = self.random.usize(..4);
            let type_ = self.type_(depth);
            let serde = match self.random.u8(..9) {
                0 => "#[serde(rename = \"other\")] ",
                1 => "#[serde(flatten)] ",
                2 => "#[cfg(unix)] ",
                _ => "",
            };
            let type_ = if self.changes() {
                format!("Option<{type_}>")
            } else {
                type_
            };
            if !self.changes() {
                let _ = write!(fields, "{serde}{before}{name}: {type_}, ");
            }
        }
        fields
    }

    fn numbered(&mut self, before: &str) -> String {
        let count = self.random.usize(1..4);
        let fields = (0..count).map(|_| {
            let depth = self.random.usize(..3);
            format!("{before}{}, ", self.type_(depth))
        });
        fields.collect()
    }

    fn item(&mut self, name: &str) -> String {
        let derive = self.pick(&["#[derive(Default)] ", ""]);
        let rename = self.pick(&["#[serde(rename_all = \"camelCase\")] ", "", ""]);
        let start = format!("{derive}{rename}");
        let visibility = self.pick(&["pub ", "pub ", "pub ", "pub(crate) ", ""]);
        match self.random.u8(..8) {
            0..=3 => format!(
                "{start}pub struct {name} {{ {} }}\n",
                self.fields(visibility)
            ),
            4 => format!("{start}pub struct {name}({});\n", self.numbered(visibility)),
            5 => format!("{start}pub struct {name};\n"),
            6 => format!("pub type {name} = {};\n", self.type_(2)),
            _ => {
                let mut variants = String::new();
                for variant in ["Plain", "One", "Two", "AVariantWithALongName"] {
                    let fields = match self.random.u8(..5) {
                        0 => continue,
                        1 => String::new(),
                        2 | 3 => format!("({})", self.numbered("")),
                        _ => format!(" {{ {} }}", self.fields("")),
                    };
                    if !self.changes() {
                        let _ = write!(variants, "{variant}{fields}, ");
                    }
                }
                format!("{start}pub enum {name} {{ {variants} }}\n")
            }
        }
    }

    fn version(&mut self, name: &str) -> String {
        let mut text = "use k8s_openapi::api::core::v1::EnvVar;\nuse std::collections::*;\n\
            use std::string::String as Text;\npub type Many<T> = Vec<Option<T>>;\n\
            pub struct Wrapper<T> { pub inner: T, pub all: Vec<T> }\n"
            .to_owned();
        let spec = self.fields("pub ");
        let _ = write!(
            text,
            "#[kube(group = \"a.b\", version = \"{name}\", kind = \"Web\", status = \"T0\")]\n\
             pub struct WebSpec {{ {spec} }}\n"
        );
        let mut inner = String::new();
        for index in 0..self.count {
            self.current = index;
            let item = self.item(&format!("T{index}"));
            let struct_ = format!("pub struct S{index} {{ pub t: Option<Vec<T{index}>> }}\n");
            text.push_str(&struct_);
            match self.random.u8(..4) {
                0 => inner.push_str(&item),
                _ => text.push_str(&item),
            }
        }
        let (visibility, use_) = match self.random.u8(..4) {
            0 => ("", "use inner::*;\n"),
            1 | 2 => ("pub ", "use inner::*;\n"),
            _ => ("", "pub use inner::*;\n"),
        };
        let _ = write!(
            text,
            "{use_}{visibility}mod inner {{ use super::*;\n{inner} }}\n"
        );
        text
    }
}

#[test]
fn random_types_make_rust_that_is_formatted() {
    let mut all = String::new();
    for seed in 0..ROUNDS {
        let mut random = Rng::with_seed(seed);
        let count = random.usize(1..9);
        let version = |name, random, changes| {
            let mut types = Types {
                random,
                changes,
                count,
                current: 0,
            };
            types.version(name)
        };
        let older = version("v1alpha1", random.clone(), None);
        // Every fourth pair has nothing in common.
        let newer = match seed % 4 {
            0 => version("v1", Rng::with_seed(!seed), None),
            _ => version("v1", random, Some(Rng::with_seed(!seed))),
        };
        let text = of_files(&[
            ("api/src/lib.rs", "pub struct Shared { pub a: String }"),
            ("api/src/app/v1alpha1/web.rs", &older),
            ("api/src/app/v1/web/mod.rs", &newer),
        ])
        .unwrap_or_else(|error| panic!("seed {seed}: {error:?}\n{older}\n{newer}"));
        if let Err(error) = syn::parse_file(&text) {
            panic!("seed {seed}: {error}\n{text}");
        }
        // One call of rustfmt is enough for all.
        let start = text.find("\nimpl ").expect("implementations");
        all.push_str(&text[start..]);
        all.push_str("\nconst _: u8 = 0;\n");
    }
    let formatted = formatted(&all);
    let lines = formatted.lines().zip(all.lines());
    let different: Vec<_> = lines
        .filter(|(left, right)| left != right)
        .take(20)
        .collect();
    assert!(formatted == all.trim_start(), "{different:#?}");
}
