//! Edits of YAML.

use super::*;

const BASE: &str = "resources:\n- a.yaml\n";
const WANTED: &str = "resources:\n- a.yaml\n- b.yaml\n";

fn merged(text: &str, base: &str, desired: &str) -> Edit {
    let edit = merge("kustomization.yaml", text, base, desired).expect("YAML");
    if let Edit::Text(new) = &edit {
        let again = merge("kustomization.yaml", new, base, desired).expect("YAML");
        assert_eq!(again, Edit::Nothing, "a second merge changes {new}");
    }
    edit
}

#[test]
fn a_member_of_a_list_changes_where_it_stands() {
    let base = "kinds:\n- kind: A\n- kind: B\n";
    let desired = "kinds:\n- kind: A\n  more: true\n- kind: B\n";
    let text = "kinds:\n- kind: A\n  # theirs\n  own: 1\n- kind: B\n";
    assert_eq!(
        merged(text, base, desired),
        Edit::Text("kinds:\n- kind: A\n  more: true\n  # theirs\n  own: 1\n- kind: B\n".into())
    );
    assert_eq!(merged("kinds:\n- kind: B\n", base, desired), Edit::Nothing);
}

/// `[]` and `{}` become lines, and lines become `[]` and `{}`, beside an edit of another value.
#[test]
fn an_empty_value_that_nobody_edited_follows() {
    let base = "tolerations: []\ngroup:\n  labels: {}\nreplicas: 1\n";
    let desired =
        "tolerations:\n- operator: Exists\n  key: a\ngroup:\n  labels:\n    a: b\nreplicas: 1\n";
    let edited = |text: &str| text.replace("replicas: 1", "replicas: 3");
    assert_eq!(
        merged(&edited(base), base, desired),
        Edit::Text(edited(desired))
    );
    assert_eq!(
        merged(&edited(desired), desired, base),
        Edit::Text(edited(base))
    );
    assert_eq!(
        merged(
            "tolerations: [] # none\nreplicas: 3\n",
            "tolerations: []\nreplicas: 1\n",
            "tolerations:\n- operator: Exists\nreplicas: 1\n"
        ),
        Edit::Text("tolerations: # none\n- operator: Exists\nreplicas: 3\n".into())
    );
    // An edited value.
    let text = base.replace("[]", "[{operator: Equal}]");
    assert!(matches!(merged(&text, base, desired), Edit::NoPlace(_)));
}

/// Comments in what is emptied stay, and what is emptied is no null.
#[test]
fn comments_in_an_emptied_value_stay() {
    let base =
        "tolerations:\n- operator: Exists\n  key: a\ngroup:\n  labels:\n    a: b\nreplicas: 1\n";
    let desired = "tolerations: []\ngroup:\n  labels: {}\nreplicas: 1\n";
    let text = "tolerations: # all\n# theirs\n- operator: Exists # any\n  key: a # of # a\ngroup:\n  labels:\n    # why\n    \
                a: b\nreplicas: 3\n";
    assert_eq!(
        merged(text, base, desired),
        Edit::Text(
            "tolerations: [] # of # a\n# all\n# theirs\n# any\ngroup:\n  labels: {}\n  # why\nreplicas: 3\n".into()
        )
    );
}

#[test]
fn members_of_a_list_that_exchange_entries_stay_where_they_are() {
    let base = "list:\n- a: 1\n  b: 2\n  name: x\n  hub: true\n- a: 1\n  b: 2\n  name: y\n";
    let desired = "list:\n- a: 1\n  b: 2\n  name: x\n- a: 1\n  b: 2\n  name: y\n  hub: true\n";
    assert_eq!(merged(base, base, desired), Edit::Text(desired.to_owned()));
    let new = desired.replace("hub: true", "hub: false") + "- a: 1\n  b: 2\n  name: z\n";
    assert_eq!(merged(desired, desired, &new), Edit::Text(new));
    let base = desired.replace("b: 2\n  name: x", "b: 3\n  name: x");
    assert_eq!(
        merged(&base, &base, desired),
        Edit::Text(desired.to_owned())
    );
}

/// Below the entry that it follows, at its place above all others, and behind a dash.
#[test]
fn an_entry_returns_to_its_place() {
    for (with, without) in [
        ("a: 1\nb: 2\nc: 3\n", "a: 1\nc: 3\n"),
        ("x:\n  a: 1\n  b: 2\n", "x:\n  b: 2\n"),
        ("- a: 1\n  b: 2\n- a: 3\n", "- b: 2\n- a: 3\n"),
        ("x:\n- a: 1\n  b: 2\n  c: 3\n", "x:\n- b: 2\n  c: 3\n"),
    ] {
        assert_eq!(merged(with, with, without), Edit::Text(without.into()));
        assert_eq!(merged(without, without, with), Edit::Text(with.into()));
    }
    let text = "x:\n  # ours\n  b: 2\n";
    let expected = "x:\n  # ours\n  b: 2\n  a: 1\n";
    let [base, desired] = ["x:\n  b: 2\n", "x:\n  a: 1\n  b: 2\n"];
    assert_eq!(merged(text, base, desired), Edit::Text(expected.into()));
}

#[test]
fn keeps_comments_and_order() {
    for (text, expected) in [
        (
            "# mine\nresources: # list\n  - z.yaml # last\n  - a.yaml # first\n# end\nnamePrefix: x-\n",
            "# mine\nresources: # list\n  - z.yaml # last\n  - a.yaml # first\n  - b.yaml\n# end\nnamePrefix: x-\n",
        ),
        ("resources: [a.yaml]\n", "resources: [a.yaml, b.yaml]\n"),
        ("resources: []\n", "resources: [b.yaml]\n"),
        ("resources:\n- a.yaml", "resources:\n- a.yaml\n- b.yaml\n"),
        (
            "namePrefix: x-\n",
            "namePrefix: x-\nresources:\n- a.yaml\n- b.yaml\n",
        ),
        (
            "resources:\nnamePrefix: x-\n",
            "resources:\n- b.yaml\nnamePrefix: x-\n",
        ),
    ] {
        assert_eq!(merged(text, BASE, WANTED), Edit::Text(expected.into()));
    }
}

#[test]
fn leaves_what_is_there_and_what_was_taken_out() {
    assert_eq!(merged("resources: [b.yaml]\n", BASE, WANTED), Edit::Nothing);
    assert_eq!(
        merged("resources:\n- c.yaml\n", BASE, WANTED),
        Edit::Text("resources:\n- c.yaml\n- b.yaml\n".into())
    );
}

#[test]
fn takes_out_what_is_not_made_any_more() {
    for (text, expected) in [
        (
            "resources:\n- a.yaml\n# mine\n- mine.yaml\n- b.yaml # last\n",
            "resources:\n- a.yaml\n# mine\n- mine.yaml\n",
        ),
        (
            "resources: [b.yaml, a.yaml, mine.yaml]\nx: 1\n",
            "resources: [a.yaml, mine.yaml]\nx: 1\n",
        ),
        ("resources:\n- a.yaml\n- b.yaml", "resources:\n- a.yaml\n"),
        ("resources:\n  - b.yaml\nx: 1\n", "resources:\nx: 1\n"),
    ] {
        assert_eq!(merged(text, WANTED, BASE), Edit::Text(expected.into()));
    }
    for text in [
        "resources:\n- a.yaml\n",
        "resources:\n- &b b.yaml\nothers:\n- *b\n",
        "all: &all\n- b.yaml\nresources: *all\n",
    ] {
        assert_eq!(merged(text, WANTED, BASE), Edit::Nothing, "{text}");
    }
    // In the place of another.
    let other = "resources:\n- a.yaml\n- c.yaml\n";
    assert_eq!(
        merged("resources:\n- a.yaml\n- b.yaml\n", WANTED, other),
        Edit::Text(other.into())
    );
    // A whole entry, and one that others have added to.
    assert_eq!(
        merged("x: 1\nresources:\n- a.yaml\ny: 2\n", BASE, "x: 1\n"),
        Edit::Text("x: 1\ny: 2\n".into())
    );
    assert_eq!(
        merged("resources:\n- a.yaml\n- mine.yaml\n", BASE, "{}\n"),
        Edit::Text("resources:\n- mine.yaml\n".into())
    );
}

#[test]
fn adds_mappings_to_lists() {
    let desired = "resources:\n- kind: A\n  api:\n    crdVersion: v1\nversion: '3'\n";
    assert_eq!(
        merged(
            "extra: 1\nversion: '3' # format\n",
            "version: '3'\n",
            desired
        ),
        Edit::Text(
            "extra: 1\nversion: '3' # format\nresources:\n- kind: A\n  api:\n    crdVersion: v1\n"
                .into()
        )
    );
    assert_eq!(
        merged("resources:\n  - kind: B\n", "other: 1\n", desired),
        Edit::Text(
            "resources:\n  - kind: B\n  - kind: A\n    api:\n      crdVersion: v1\nversion: '3'\n"
                .into()
        )
    );
}

#[test]
fn replaces_a_scalar_that_nobody_changed() {
    let (base, desired) = ("cliVersion: 0.1.0\n", "cliVersion: 0.2.0\n");
    assert_eq!(
        merged("cliVersion: 0.1.0 # x\n", base, desired),
        Edit::Text("cliVersion: 0.2.0 # x\n".into())
    );
    assert_eq!(merged("cliVersion: 9.9.9\n", base, desired), Edit::Nothing);
}

#[test]
fn follows_anchors_and_leaves_aliases() {
    for (text, expected) in [
        (
            "resources: &all\n- &a a.yaml\nothers: *all\n",
            "resources: &all\n- &a a.yaml\n- b.yaml\nothers: *all\n",
        ),
        (
            "x: &a a.yaml\nresources:\n  - *a\n",
            "x: &a a.yaml\nresources:\n  - *a\n  - b.yaml\n",
        ),
        (
            "x: &x {k: v}\nresources:\n- a.yaml\ny:\n  <<: *x\n",
            "x: &x {k: v}\nresources:\n- a.yaml\n- b.yaml\ny:\n  <<: *x\n",
        ),
    ] {
        assert_eq!(merged(text, BASE, WANTED), Edit::Text(expected.into()));
    }
    let kept = "x: &x\n- a.yaml\n- b.yaml\nresources: *x\n";
    assert_eq!(merged(kept, BASE, WANTED), Edit::Nothing);
    assert_eq!(
        merged("x: &x\n- a.yaml\nresources: *x\n", BASE, WANTED),
        Edit::NoPlace(
            "has an alias in `resources` where this belongs:\n      - a.yaml\n      - b.yaml"
                .into()
        )
    );
}

#[test]
fn refuses_where_there_is_no_place() {
    assert!(matches!(
        merged("resources: all\n", BASE, WANTED),
        Edit::NoPlace(_)
    ));
    assert!(matches!(merged("{}\n", "", WANTED), Edit::NoPlace(_)));
    assert!(merge("x.yaml", "a: [", BASE, WANTED).is_err());
}

/// Ten lines that expand to billions of values.
#[test]
fn aliases_are_bounded() {
    let lines = "abcdefghi"
        .chars()
        .zip("bcdefghij".chars())
        .map(|(last, next)| {
            let list = vec![format!("*{last}"); 10].join(",");
            format!("{next}: &{next} [{list}]\n")
        });
    let bomb = format!("a: &a [x,x,x,x,x,x,x,x,x,x]\n{}", lines.collect::<String>());
    let error = merge("kustomization.yaml", &bomb, BASE, WANTED).expect_err("too many");
    assert!(format!("{error:?}").contains("aliases"), "{error:?}");
}
