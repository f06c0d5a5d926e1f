use crate::support::World;

const PAGE: &str = "docs/api.md";
const CRD: &str = "config/crd/bases/app.example.com_settings.yaml";

fn project() -> World {
    let world = World::with_project();
    let api = "create api --group app --kind Setting --template minimal";
    world.rop(api).ok();
    world
}

#[test]
fn the_kinds_are_described() {
    let world = project();
    world.rop("generate docs").ok();
    let page = world.read(PAGE);
    let (header, page) = page.split_once('\n').expect("a header");
    assert!(header.starts_with("<!-- Owned by rop: "), "{header}");
    insta::assert_snapshot!(page, @r#"
    # API reference

    The custom resources of `app-operator`.

    - [Setting](#setting-app-example-com) in `app.example.com`

    ## <a id="setting-app-example-com"></a>Setting

    An object with one example field.

    Group `app.example.com`, plural `settings`, scope `Namespaced`.

    ### <a id="setting-app-example-com-v1alpha1"></a>Setting `app.example.com/v1alpha1`

    Storage version.

    | Field | Type | Default | Validation | Description |
    |---|---|---|---|---|
    | `spec` | [object](#setting-app-example-com-v1alpha1-spec) | | required | Desired state of a Setting. |
    | `status` | [object or null](#setting-app-example-com-v1alpha1-status) | | | Observed state of a Setting. |

    #### <a id="setting-app-example-com-v1alpha1-spec"></a>`spec`

    Desired state of a Setting.

    | Field | Type | Default | Validation | Description |
    |---|---|---|---|---|
    | `message` | string or null | | maximum length `64` | An example field: replace it with the fields of your API. |

    #### <a id="setting-app-example-com-v1alpha1-status"></a>`status`

    Observed state of a Setting.

    | Field | Type | Default | Validation | Description |
    |---|---|---|---|---|
    | `conditions` | [array of object](#setting-app-example-com-v1alpha1-status-conditions) | | unique `type` | Conditions of the object, such as Ready. |
    | `observedGeneration` | integer (int64) or null | | | The most recent generation observed by the controller. |

    #### <a id="setting-app-example-com-v1alpha1-status-conditions"></a>`status.conditions[]`

    Condition contains details for one aspect of the current state of this API Resource.

    | Field | Type | Default | Validation | Description |
    |---|---|---|---|---|
    | `lastTransitionTime` | string (date-time) | | required | lastTransitionTime is the last time the condition transitioned from one status to another. This should be when the underlying condition changed. If that is not known, then using the time when the API field changed is acceptable. |
    | `message` | string | | required | message is a human readable message indicating details about the transition. This may be an empty string. |
    | `observedGeneration` | integer (int64) | | | observedGeneration represents the .metadata.generation that the condition was set based upon. For instance, if .metadata.generation is currently 12, but the .status.conditions\[x\].observedGeneration is 9, the condition is out of date with respect to the current state of the instance. |
    | `reason` | string | | required | reason contains a programmatic identifier indicating the reason for the condition's last transition. Producers of specific condition types may define expected values and meanings for this field, and whether the values are considered a guaranteed API. The value should be a CamelCase string. This field may not be empty. |
    | `status` | string | | required | status of the condition, one of True, False, Unknown. |
    | `type` | string | | required | type of condition in CamelCase or in foo.example.com/CamelCase. |
    "#);
    let tree = world.tree();
    world.rop("generate docs").did_nothing();
    world.rop_in("src", &["generate", "docs", "--check"]).ok();
    assert_eq!(world.tree(), tree);
}

/// Other commands keep the page up to date.
#[test]
fn it_follows_the_project() {
    let world = project();
    world.rop("generate docs").ok();
    world.rop("create api --group app --kind Cache").ok();
    assert!(world.read(PAGE).contains(">Cache\n"));
    world
        .rop("create api --group app --kind Setting --version v1beta1")
        .ok();
    assert!(world.read(PAGE).contains("Same fields as `v1alpha1`."));
    world.rop("delete api --group app --kind Cache").ok();
    assert!(!world.read(PAGE).contains("Cache"));
    world.rop("generate docs").did_nothing();
    world.replace(CRD, "maxLength: 64", "maxLength: 7");
    let outcome = world.rop("generate docs --check").exits(3);
    outcome.says("error[drift]: the API reference is out of date: docs/api.md");
    // An edited page is not overwritten.
    world.write(PAGE, &format!("{}mine\n", world.read(PAGE)));
    world
        .rop("generate docs")
        .exits(1)
        .says("docs/api.md is generated but was edited");
    world.rop("generate docs --force").ok();
    assert!(world.read(PAGE).contains("maximum length `7`"));
    // One that was deleted stays deleted.
    std::fs::remove_file(world.path().join(PAGE)).expect("a file");
    world.rop("generate project").ok();
    world.rop("create api --group app --kind Other").ok();
    assert!(!world.path().join(PAGE).exists());
}

/// A page that rop did not write is the user's.
#[test]
fn the_users_page_stays() {
    let world = project();
    world.write(PAGE, "# Ours\n");
    world.rop("create api --group app --kind Cache").ok();
    world
        .rop("generate docs")
        .exits(1)
        .says("error[files-in-the-way]");
    assert_eq!(world.read(PAGE), "# Ours\n");
    world.rop("generate docs --output book/api.md").ok();
    assert!(world.read("book/api.md").contains("# API reference"));
    world
        .rop("generate docs --output book/api.md")
        .did_nothing();
    for output in ["../api.md", "/tmp/api.md", "api.html", ".git/api.md"] {
        let outcome = world.rop_in(".", &["generate", "docs", "--output", output]);
        outcome.exits(2).says("error[invalid-file]: invalid file");
    }
}

/// Nothing in a CRD gets out of its cell.
#[test]
fn foreign_text_is_data() {
    let world = project();
    let hostile = "a | b\\n\\n# c <script>d</script> [e](javascript:f) `g|h` ``` {{#include /etc/passwd}} \\e[2J";
    let text = world.read(CRD);
    let line = text
        .lines()
        .find(|line| line.contains("description: Desired"))
        .expect("a line");
    let indent = &line[..line.len() - line.trim_start().len()];
    let hostile = format!("{indent}description: \"{hostile}\"\n{indent}pattern: \"^(a|b)$\"");
    world.write(CRD, &text.replace(line, &hostile));
    world.rop("generate docs").ok();
    let page = world.read(PAGE);
    let rows: Vec<_> = page.lines().filter(|line| line.starts_with('|')).collect();
    assert!(rows.len() > 5, "{page}");
    for row in rows {
        assert_eq!(row.matches('|').count(), 6, "{row}");
    }
    for part in ["<script", "[e](", "{{#", "\u{1b}", "\n# c"] {
        assert!(!page.contains(part), "{part} in {page}");
    }
    assert!(page.contains("&#60;script&#62;"), "{page}");
    world.write(CRD, "kind: [");
    world
        .rop("generate docs")
        .exits(1)
        .says("error[malformed-file]");
}
