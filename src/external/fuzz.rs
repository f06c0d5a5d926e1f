//! CRDs with something wrong in any place: an error or types, never a panic.

use serde_json::{Value, json};

use super::{Crds, Definition, Named, types, untyped};
use crate::yaml;

/// A CRD with every keyword that rop knows.
const CRD: &str = include_str!("../../tests/it/whole/external/every.yaml");

/// How many CRDs each test tries.
const CASES: u64 = 400;

/// Random numbers that are the same in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        // An xorshift generator.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % limit.max(1) as u64).unwrap_or_default()
    }

    fn of<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// Reads a text as a command does, and makes of it what can be made. Whether that is right too takes longer.
fn run(text: &str, is_checked: bool) -> usize {
    let Ok(crds) = Crds::read(text, "fuzzed.yaml") else {
        return 0;
    };
    let mut accepted = 0;
    for (group, kind) in crds.kinds() {
        let named = Named {
            group: group.into(),
            kind,
            version: None,
        };
        let Ok(definition) = crds.definition(&named) else {
            continue;
        };
        accepted += 1;
        let made = types(&definition, "Thing").expect("types");
        definition.sample();
        if is_checked {
            untyped(&definition, "Thing");
            assert!(syn::parse_file(&made.text).is_ok(), "{}\n{text}", made.text);
            let kept = yaml::to_string(&definition.manifest).expect("YAML");
            let again = Definition::read(&kept, "kept.yaml", &named)
                .unwrap_or_else(|error| panic!("{error:?}\n{kept}\n{text}"));
            assert_eq!(again.manifest, definition.manifest, "{kept}");
        }
    }
    accepted
}

/// Values of every sort, and strings that mean something to YAML, to Rust or to a terminal.
fn hostile(random: &mut Random) -> Value {
    let words = [
        "",
        " ",
        "\"",
        "\\",
        "\n",
        "\r",
        "\t",
        "\0",
        "x\npub fn injected() {}\n/// y",
        "*/",
        "/*",
        "{{ x }}",
        "{",
        "}",
        "#",
        "r#\"",
        "\"#",
        "self",
        "Self",
        "crate",
        "type",
        "r#type",
        "Option",
        "String",
        "Value",
        "Api",
        "object",
        "metadata",
        "status",
        "spec",
        "1",
        "-",
        "_",
        "__",
        "a-b",
        "A",
        "ä",
        "größe",
        "日本",
        "\u{202e}",
        "\u{feff}",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{1b}[31m",
        "null",
        "true",
        "on",
        "0644",
        "1e400",
        "$ref",
        "$",
        "int32",
        "date-time",
        "array",
        "integer",
        "number",
        "boolean",
        "string",
        "(?=a)",
        "[",
        "a.b",
        "...",
        "---",
        "v1",
        "v2",
    ];
    match random.below(14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(false),
        3 => json!(*random.of(&[0, 1, -1, i64::MAX, i64::MIN, 1 << 31])),
        4 => json!(u64::MAX),
        5 => json!(*random.of(&[0.5, -0.0, 1e300, 1e-300])),
        6 => json!([]),
        7 => json!({}),
        8 => json!([hostile(random), hostile(random)]),
        9 => {
            let name = (*random.of(&words)).to_owned();
            json!({ name: hostile(random) })
        }
        10 => json!("x".repeat(random.below(3000))),
        _ => Value::from(*random.of(&words)),
    }
}

/// Changes one place of a value: any at all.
fn change(value: &mut Value, random: &mut Random) {
    let pointers = pointers(value);
    let from = value
        .pointer(&pointers[random.below(pointers.len())])
        .cloned();
    let Some(place) = value.pointer_mut(&pointers[random.below(pointers.len())]) else {
        return;
    };
    match random.below(6) {
        0 | 1 => *place = hostile(random),
        2 => *place = from.unwrap_or_default(),
        3 => match place {
            Value::Object(fields) if !fields.is_empty() => {
                let names: Vec<String> = fields.keys().cloned().collect();
                fields.shift_remove(random.of(&names));
            }
            Value::Array(items) => items.truncate(random.below(items.len())),
            place => *place = hostile(random),
        },
        4 => match place {
            Value::Object(fields) => {
                let names: Vec<String> = fields.keys().cloned().collect();
                let value = if names.is_empty() {
                    hostile(random)
                } else {
                    fields[random.of(&names)].clone()
                };
                let name = hostile(random);
                fields.insert(name.as_str().unwrap_or("x").to_owned(), value);
            }
            Value::Array(items) => items.push(hostile(random)),
            place => *place = json!([place.clone()]),
        },
        _ => {
            let deep = (0..random.below(300)).fold(
                place.clone(),
                |inner, _| json!({ "type": "object", "properties": { "n": inner } }),
            );
            *place = deep;
        }
    }
}

/// The paths of all values in a value.
fn pointers(value: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    let mut rest = vec![(String::new(), value)];
    while let Some((pointer, value)) = rest.pop() {
        match value {
            Value::Object(fields) => rest.extend(fields.iter().map(|(name, value)| {
                let name = name.replace('~', "~0").replace('/', "~1");
                (format!("{pointer}/{name}"), value)
            })),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                rest.extend(items.map(|(index, item)| (format!("{pointer}/{index}"), item)));
            }
            _ => {}
        }
        pointers.push(pointer);
    }
    pointers
}

#[test]
fn changed_values_give_an_error_or_types() {
    let crd: Value = yaml::from_str(CRD).expect("YAML");
    let mut accepted = 0;
    for seed in 1..=CASES {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut changed = crd.clone();
        for _ in 0..=random.below(3) {
            change(&mut changed, &mut random);
        }
        accepted += run(&changed.to_string(), seed % 16 == 0);
    }
    // It is no test if everything is refused at once.
    assert!(accepted > 10, "{accepted}");
}

#[test]
fn changed_texts_give_an_error_or_types() {
    let mut accepted = 0;
    for seed in 1..=CASES {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut text: Vec<char> = CRD.chars().collect();
        for _ in 0..=random.below(3) {
            let at = random.below(text.len());
            let end = (at + random.below(40)).min(text.len());
            match random.below(5) {
                0 => text.truncate(at),
                1 => drop(text.drain(at..end)),
                2 => {
                    let part = text[at..end].to_vec();
                    let to = random.below(text.len());
                    text.splice(to..to, part);
                }
                3 => {
                    let word = hostile(&mut random).to_string();
                    text.splice(at..at, word.chars());
                }
                _ if !text.is_empty() => {
                    let mark = [
                        '\n', ':', '-', '[', '{', '"', '&', '*', '!', '|', '\t', '#', '%',
                        '\u{feff}', '\0',
                    ];
                    let at = at.min(text.len() - 1);
                    text[at] = *random.of(&mark);
                }
                _ => {}
            }
        }
        accepted += run(&text.into_iter().collect::<String>(), seed % 16 == 0);
    }
    assert!(accepted > 10, "{accepted}");
}
