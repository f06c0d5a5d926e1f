use toml_edit::{Array, DocumentMut, InlineTable, Item, TableLike, Value};

use crate::error::{Code, Context, Result};

use super::Edit;

/// Keys of a dependency that say where it comes from.
const SOURCE: [&str; 3] = ["git", "path", "version"];

/// Merges as [`super::merge`] says, and removes what `base` has and `desired` does not have. Where the
/// user has another value for a key, it stays.
pub(super) fn merge(path: &str, text: &str, base: &str, desired: &str) -> Result<Edit> {
    let parse = |text: &str| -> Result<DocumentMut> {
        text.parse()
            .context(Code::MalformedFile, || format!("malformed `{path}`"))
    };
    let (base, desired) = (parse(base)?, parse(desired)?);
    let mut document = parse(text)?;
    merge_table(
        document.as_table_mut(),
        Some(base.as_table()),
        desired.as_table(),
    );
    Ok(Edit::of(text, document.to_string()))
}

fn merge_table(ours: &mut dyn TableLike, base: Option<&dyn TableLike>, desired: &dyn TableLike) {
    for (key, want) in desired.iter() {
        let was = base.and_then(|base| base.get(key));
        if want.is_value() && was.is_some_and(|was| is_same(was, want)) {
            continue;
        }
        match ours.get_mut(key) {
            // The user took it out.
            None if want.is_table() && was.is_some() => {}
            None => {
                ours.insert(key, want.clone());
            }
            Some(have) => merge_item(have, was, want),
        }
    }
    let gone = base.into_iter().flat_map(|base| base.iter());
    for (key, was) in gone.filter(|(key, _)| !desired.contains_key(key)) {
        let is_as_given = |have: &Item| {
            if was.is_value() {
                is_same(have, was)
            } else {
                is_same_table(have, was)
            }
        };
        if ours.get(key).is_some_and(is_as_given) {
            ours.remove(key);
        }
    }
}

fn merge_item(have: &mut Item, was: Option<&Item>, want: &Item) {
    if was.is_none() && merge_own(have, want) {
        return;
    }
    let is_as_given = was.is_some_and(|was| is_same(have, was));
    if have.is_value() != want.is_value() && was.is_some_and(|was| is_same_table(have, was)) {
        // `x.workspace = true` becomes `x = { workspace = true, … }`, and back.
        *have = want.clone();
    } else if let (Some(have), Some(want)) = (have.as_array_mut(), want.as_array()) {
        merge_array(have, was.and_then(Item::as_array), want);
    } else if let (Item::Value(have), Item::Value(want), true) = (&mut *have, want, is_as_given) {
        let decor = have.decor().clone();
        *have = want.clone();
        *have.decor_mut() = decor;
    } else if let (Some(table), Some(want)) = (have.as_table_like_mut(), want.as_table_like()) {
        merge_table(table, was.and_then(Item::as_table_like), want);
        // Commas and blanks are between its entries, whose number may be another now.
        if let Some(inline) = have.as_inline_table_mut() {
            inline.fmt();
        }
    }
}

/// Merges what the user had before rop came, if that takes nothing from the workspace: beside
/// `workspace = true` cargo allows no source, no version and no lint. A dependency gains features.
fn merge_own(have: &mut Item, want: &Item) -> bool {
    let Some(want) = want.as_table_like() else {
        return false;
    };
    let is_own = |table: &dyn TableLike| {
        let has_source = SOURCE.iter().any(|key| table.contains_key(key));
        let shares = want.contains_key("workspace") && !table.contains_key("workspace");
        has_source || (shares && !table.is_empty())
    };
    let features = want.get("features");
    if let (Some(version), Some(features)) = (have.as_str(), features) {
        let mut table = InlineTable::new();
        table.insert("version", version.into());
        if let Some(features) = features.as_value() {
            table.insert("features", features.clone());
        }
        InlineTable::fmt(&mut table);
        let decor = have.as_value().map(|value| value.decor().clone());
        let mut value = Value::from(table);
        *value.decor_mut() = decor.unwrap_or_default();
        *have = Item::Value(value);
        return true;
    }
    let Some(table) = have.as_table_like_mut().filter(|table| is_own(*table)) else {
        return false;
    };
    match (table.get_mut("features"), features) {
        (Some(have), Some(features)) => merge_item(have, None, features),
        (None, Some(features)) => {
            table.insert("features", features.clone());
        }
        (_, None) => {}
    }
    if let Some(inline) = have.as_inline_table_mut() {
        inline.fmt();
    }
    true
}

fn merge_array(have: &mut Array, was: Option<&Array>, want: &Array) {
    let is_in =
        |array: &Array, value: &Value| array.iter().any(|other| is_same_value(other, value));
    for value in want {
        if !is_in(have, value) && !was.is_some_and(|was| is_in(was, value)) {
            push(have, value.clone());
        }
    }
    let gone = |value: &Value| was.is_some_and(|was| is_in(was, value)) && !is_in(want, value);
    have.retain(|value| !gone(value));
}

/// Adds a value on a line of its own where the others have one, and behind a blank otherwise.
fn push(array: &mut Array, mut value: Value) {
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

/// Whether two are tables with the same values.
fn is_same_table(a: &Item, b: &Item) -> bool {
    let (Some(a), Some(b)) = (a.as_table_like(), b.as_table_like()) else {
        return false;
    };
    let is_in_b = |(key, value): (&str, &Item)| {
        let other = b.get(key);
        value.is_value() && other.is_some_and(|other| is_same(value, other))
    };
    a.len() == b.len() && a.iter().all(is_in_b)
}

/// Whether two values are. Tables do not show all that is in them.
fn is_same(a: &Item, b: &Item) -> bool {
    match (a.as_value(), b.as_value()) {
        (Some(a), Some(b)) => is_same_value(a, b),
        _ => a.to_string().trim() == b.to_string().trim(),
    }
}

/// Whether two values are, whatever comments are around them.
fn is_same_value(a: &Value, b: &Value) -> bool {
    let bare = |value: &Value| {
        let mut value = value.clone();
        value.decor_mut().clear();
        value.to_string()
    };
    bare(a) == bare(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn merged(text: &str, base: &str, desired: &str) -> Edit {
        merge("Cargo.toml", text, base, desired).expect("TOML")
    }

    #[test]
    fn puts_in_what_is_new_and_keeps_the_rest() {
        let text = "# ours\n[workspace]\nmembers = [\"tools\"] # mine\n\n[dependencies]\nkube = \"4\" # pinned\n";
        let desired = "[workspace]\nmembers = [\"api\"]\nresolver = \"3\"\n\n[dependencies]\nkube = \"5\"\ntokio = \"1\"\n";
        assert_eq!(
            merged(text, "", desired),
            Edit::Text(
                "# ours\n[workspace]\nmembers = [\"tools\", \"api\"] # mine\nresolver = \"3\"\n\n[dependencies]\nkube = \"4\" # pinned\ntokio = \"1\"\n".into()
            )
        );
    }

    #[test]
    fn a_comment_is_no_value() {
        let text = "[package]\nname = \"a\" # ours\nversion = \"2\" # ours\n";
        let (base, desired) = (
            "[package]\nname = \"a\"\nversion = \"1\"\n",
            "[package]\nname = \"b\"\nversion = \"3\"\n",
        );
        let expected = text.replace("\"a\"", "\"b\"");
        assert_eq!(merged(text, base, desired), Edit::Text(expected));
    }

    #[test]
    fn does_not_bring_back_what_the_user_took_out() {
        let base = "[dependencies]\naxum = \"1\"\n";
        let desired = "[dependencies]\naxum = \"1\"\ntokio = \"1\"\n";
        assert_eq!(
            merged("[dependencies]\n", base, desired),
            Edit::Text("[dependencies]\ntokio = \"1\"\n".into())
        );
        assert_eq!(merged("", base, base), Edit::Nothing);
    }

    #[test]
    fn a_table_that_nothing_needs_goes_unless_it_was_edited() {
        let base = "[a.\"*\"]\nx = 1\n\n[a.old]\nx = 1\n";
        let desired = "[a.\"*\"]\nx = 1\n\n[a.new]\nx = 1\n";
        let text = format!("# ours\n{base}");
        let expected = format!("# ours\n{desired}");
        assert_eq!(merged(&text, base, desired), Edit::Text(expected));
        let edited = base.replace("[a.old]\nx = 1", "[a.old]\nx = 2");
        let expected = format!("{edited}\n[a.new]\nx = 1\n");
        assert_eq!(merged(&edited, base, desired), Edit::Text(expected));
    }

    #[test]
    fn looks_into_tables_below_tables() {
        let of = |version| format!("[a]\nx = 1\n\n[a.b]\nr = {{ version = \"{version}\" }}\n");
        let (base, desired) = (of("1"), of("2"));
        assert_eq!(merged(&base, &base, &desired), Edit::Text(desired.clone()));
        assert_eq!(merged(&desired, &base, &desired), Edit::Nothing);
    }

    #[test]
    fn what_a_package_has_of_its_own_stays_its_own() {
        let desired = "[package]\nversion.workspace = true\n\n[dependencies]\nk = { workspace = true, features = [\"x\"] }\nt = { version = \"1\", features = [\"rt\"] }\ns.workspace = true\n\n[lints]\nworkspace = true\n";
        let text = "[package]\nversion = \"1.2.3\"\n\n[dependencies]\nk = { version = \"5\", features = [\"y\"] }\nt = \"1\" # mine\ns = \"1\"\n\n[lints.rust]\nunused = \"warn\"\n";
        let expected = "[package]\nversion = \"1.2.3\"\n\n[dependencies]\nk = { version = \"5\", features = [\"y\", \"x\"] }\nt = { version = \"1\", features = [\"rt\"] } # mine\ns = \"1\"\n\n[lints.rust]\nunused = \"warn\"\n";
        assert_eq!(merged(text, "", desired), Edit::Text(expected.into()));
        assert_eq!(merged(expected, desired, desired), Edit::Nothing);
    }

    #[test]
    fn a_dependency_gains_its_first_feature_and_loses_it() {
        let base = "[dependencies]\na.workspace = true\nr.workspace = true\nt = \"1\"\n";
        let desired = "[dependencies]\na.workspace = true\nr = { workspace = true, features = [\"x\"] }\nt = \"1\"\n";
        assert_eq!(merged(base, base, desired), Edit::Text(desired.into()));
        assert_eq!(merged(desired, desired, base), Edit::Text(base.into()));
        let mine = desired.replace("\"x\"", "\"mine\"");
        assert_eq!(
            merged(&mine, base, desired),
            Edit::Text(mine.replace("\"mine\"", "\"mine\", \"x\""))
        );
    }

    #[test]
    fn follows_what_is_given_otherwise_now() {
        let base = "[workspace]\nmembers = [\"api\", \"runtime\"]\n\n[workspace.dependencies]\nr = { path = \"runtime\" }\n";
        let desired = "[workspace]\nmembers = [\"api\"]\n\n[workspace.dependencies]\nr = { version = \"0.1\" }\n";
        assert_eq!(merged(base, base, desired), Edit::Text(desired.into()));
        let edited = "[workspace]\nmembers = [\"api\", \"runtime\", \"tools\"]\n\n[workspace.dependencies]\nr = { path = \"runtime\", features = [\"x\"] } # ours\n";
        assert_eq!(
            merged(edited, base, desired),
            Edit::Text("[workspace]\nmembers = [\"api\", \"tools\"]\n\n[workspace.dependencies]\nr = { features = [\"x\"], version = \"0.1\" } # ours\n".into())
        );
    }
}
