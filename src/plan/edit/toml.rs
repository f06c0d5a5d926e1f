use toml_edit::{DocumentMut, Item, TableLike, Value};

use crate::error::{Context, Result};

use super::Edit;

/// Merges as [`super::merge`] says. Where the user has another value for a key, it stays.
pub(super) fn merge(path: &str, text: &str, base: &str, wanted: &str) -> Result<Edit> {
    let parse = |text: &str| -> Result<DocumentMut> {
        text.parse().context(|| format!("malformed `{path}`"))
    };
    let (base, wanted) = (parse(base)?, parse(wanted)?);
    let mut document = parse(text)?;
    merge_table(
        document.as_table_mut(),
        Some(base.as_table()),
        wanted.as_table(),
    );
    Ok(Edit::of(text, document.to_string()))
}

fn merge_table(ours: &mut dyn TableLike, base: Option<&dyn TableLike>, wanted: &dyn TableLike) {
    for (key, want) in wanted.iter() {
        let was = base.and_then(|base| base.get(key));
        if was.is_some_and(|was| was.to_string() == want.to_string()) {
            continue;
        }
        match ours.get_mut(key) {
            None => {
                ours.insert(key, want.clone());
            }
            Some(have) => merge_item(have, was, want),
        }
    }
}

fn merge_item(have: &mut Item, was: Option<&Item>, want: &Item) {
    if let (Some(have), Some(want)) = (have.as_array_mut(), want.as_array()) {
        let was = was.and_then(Item::as_array);
        for value in want {
            let is_in = |array: &toml_edit::Array| array.iter().any(|other| is_same(other, value));
            if !is_in(have) && !was.is_some_and(is_in) {
                push(have, value.clone());
            }
        }
    } else if let (Some(have), Some(want)) = (have.as_table_like_mut(), want.as_table_like()) {
        merge_table(have, was.and_then(Item::as_table_like), want);
    }
}

/// Adds a value on a line of its own where the others have one, and behind a blank otherwise.
fn push(array: &mut toml_edit::Array, mut value: Value) {
    let before_last = array.iter().last().map(|last| {
        let prefix = last.decor().prefix().and_then(|prefix| prefix.as_str());
        prefix
            .filter(|p| p.contains('\n'))
            .unwrap_or(" ")
            .to_owned()
    });
    value
        .decor_mut()
        .set_prefix(before_last.unwrap_or_default());
    array.push_formatted(value);
}

fn is_same(a: &Value, b: &Value) -> bool {
    a.to_string().trim() == b.to_string().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(text: &str, base: &str, wanted: &str) -> Edit {
        merge("Cargo.toml", text, base, wanted).expect("TOML")
    }

    #[test]
    fn puts_in_what_is_new_and_keeps_the_rest() {
        let text = "# ours\n[workspace]\nmembers = [\"tools\"] # mine\n\n[dependencies]\nkube = \"4\" # pinned\n";
        let wanted = "[workspace]\nmembers = [\"api\"]\nresolver = \"3\"\n\n[dependencies]\nkube = \"5\"\ntokio = \"1\"\n";
        assert_eq!(
            merged(text, "", wanted),
            Edit::Text(
                "# ours\n[workspace]\nmembers = [\"tools\", \"api\"] # mine\nresolver = \"3\"\n\n[dependencies]\nkube = \"4\" # pinned\ntokio = \"1\"\n".into()
            )
        );
    }

    #[test]
    fn does_not_bring_back_what_the_user_took_out() {
        let base = "[dependencies]\naxum = \"1\"\n";
        let wanted = "[dependencies]\naxum = \"1\"\ntokio = \"1\"\n";
        assert_eq!(
            merged("[dependencies]\n", base, wanted),
            Edit::Text("[dependencies]\ntokio = \"1\"\n".into())
        );
        assert_eq!(merged("", base, base), Edit::Nothing);
    }
}
