//! What a text is made of, whatever its names and values are: two files that differ in a name have one shape, and a
//! name that became code, a key or a line does not.

use proc_macro2::{TokenStream, TokenTree};
use serde_json::Value;
use toml_edit::{DocumentMut, Item};

/// The shape of a file, or what is wrong with it.
pub(super) fn shape(path: &str, text: &str) -> Result<String, String> {
    let name = path.rsplit('/').next().unwrap_or_default();
    let extension = name.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = match name {
        "PROJECT" => "yaml",
        _ => extension,
    };
    match extension {
        "rs" => {
            syn::parse_file(text).map_err(|e| format!("{path}: {e}"))?;
            let tokens = text.parse::<TokenStream>();
            let tokens = rust(tokens.map_err(|e| format!("{path}: {e}"))?);
            // A path of one more word is a path.
            Ok(tokens.replace("::i", ""))
        }
        "yaml" | "yml" => {
            let documents = text.split("\n---\n").map(|document| {
                let value = serde_yaml::from_str::<Value>(document);
                value
                    .map(|value| json(&value))
                    .map_err(|e| format!("{path}: {e}"))
            });
            documents.collect()
        }
        "json" => {
            let is_data = |line: &&str| !line.trim_start().starts_with("//");
            let text: String = text.lines().filter(is_data).collect();
            let value = serde_json::from_str::<Value>(&text);
            value
                .map(|value| json(&value))
                .map_err(|e| format!("{path}: {e}"))
        }
        "toml" | "lock" => {
            let document = text.parse::<DocumentMut>();
            document
                .map(|document| toml(document.as_item()))
                .map_err(|e| format!("{path}: {e}"))
        }
        // Comments and prose may say anything in their line.
        "md" => Ok(format!("{} lines", text.lines().count())),
        _ => Ok(text
            .lines()
            .map(|line| {
                if line.starts_with('#') {
                    "# ".to_owned()
                } else {
                    format!("{} ", line.split_whitespace().count())
                }
            })
            .collect()),
    }
}

/// Commas and the lengths of words follow line breaks, which follow the lengths of names.
fn rust(tokens: TokenStream) -> String {
    let token = |token| match token {
        TokenTree::Group(group) => {
            format!("{:?}({})", group.delimiter(), rust(group.stream()))
        }
        TokenTree::Ident(ident) if syn::parse_str::<syn::Ident>(&ident.to_string()).is_ok() => {
            "i".to_owned()
        }
        TokenTree::Ident(keyword) => format!(" {keyword} "),
        TokenTree::Punct(punct) if punct.as_char() == ',' => String::new(),
        TokenTree::Punct(punct) => punct.as_char().to_string(),
        TokenTree::Literal(_) => "l".to_owned(),
    };
    tokens.into_iter().map(token).collect()
}

fn json(value: &Value) -> String {
    match value {
        Value::Null => "n".to_owned(),
        Value::Bool(_) => "b".to_owned(),
        Value::Number(_) => "0".to_owned(),
        Value::String(_) => "s".to_owned(),
        Value::Array(items) => format!("[{}]", items.iter().map(json).collect::<String>()),
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.values().map(json).collect();
            fields.sort();
            format!("{{{}}}", fields.concat())
        }
    }
}

fn toml(item: &Item) -> String {
    if let Some(table) = item.as_table_like() {
        let mut fields: Vec<_> = table.iter().map(|(_, item)| toml(item)).collect();
        fields.sort();
        return format!("{{{}}}", fields.concat());
    }
    if let Some(tables) = item.as_array_of_tables() {
        let mut tables: Vec<_> = tables.iter().map(|table| table.len().to_string()).collect();
        tables.sort();
        return format!("[{}]", tables.concat());
    }
    match item.as_array() {
        Some(list) => format!("[{}]", list.len()),
        None => item.type_name().to_owned(),
    }
}
