//! Each rule of `rop catalog validate`: a change of a valid catalog that breaks it, and what is said of it.
//!
//! If opm is on PATH, `opm validate` judges each of these catalogs too.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::Value;

use crate::support::World;
use crate::support::say::say;

/// A valid catalog, with all that has rules.
const CATALOG: &str = "\
---
schema: olm.package
name: foo
defaultChannel: stable
icon: {base64data: QQ==, mediatype: image/png}
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.2.0
  replaces: foo.v1.1.0
  skips:
  - foo.v1.1.1
  skipRange: '>=1.0.0 <1.2.0'
- name: foo.v1.1.1
  replaces: foo.v1.0.0
- name: foo.v1.1.0
  replaces: foo.v1.0.0
- name: foo.v1.0.0
---
schema: olm.bundle
name: foo.v1.2.0
package: foo
image: example.com/foo:v1.2.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.2.0}
- type: olm.gvk
  value: {group: example.com, kind: Foo, version: v1}
relatedImages:
- {name: a, image: 'example.com/a:1'}
---
schema: olm.bundle
name: foo.v1.1.1
package: foo
image: ''
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.1}
- type: olm.bundle.object
  value: {data: e30=}
---
schema: olm.bundle
name: foo.v1.1.0
package: foo
image: example.com/foo:v1.1.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
---
schema: olm.bundle
name: foo.v1.0.0
package: foo
image: example.com/foo:v1.0.0
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.deprecations
package: foo
entries:
- reference: {schema: olm.package}
  message: gone
- reference: {schema: olm.channel, name: stable}
  message: gone
- reference: {schema: olm.bundle, name: foo.v1.0.0}
  message: gone
---
schema: example.com/unknown
any: thing
";

/// The line of the catalog that is replaced, by what, and all that is found: rule, line and field.
type Row = (usize, &'static str, &'static str);

/// The rows. In a text, `%` is the line as it was.
const ROWS: &[Row] = &[
    (1, "[", "file-malformed:1:"),
    (1, "any: thing\n---", "schema-missing:1:"),
    // Documents without content.
    (1, "# licence\n---", "schema-missing:1:"),
    (6, "---\n# comment\n---", "schema-missing:7:"),
    (71, "%\n---\nnull", "schema-missing:73:"),
    (71, "%\n---\n\n", "schema-missing:73:"),
    (3, "name: !!int foo", "file-malformed:3:"),
    // opm knows no case.
    (3, "%\nName: bar", "field-type:4:Name"),
    (70, "%\npackage: [1]", "field-type:71:package"),
    (
        2,
        "schema: 1",
        "field-type:2:schema channel-package-unknown:8:package bundle-package-unknown:24:package bundle-package-unknown:36:package bundle-package-unknown:46:package bundle-package-unknown:54:package deprecations-package-unknown:61:package",
    ),
    (
        3,
        "name:",
        "package-name-missing:3:name channel-package-unknown:8:package bundle-package-unknown:24:package bundle-package-unknown:36:package bundle-package-unknown:46:package bundle-package-unknown:54:package deprecations-package-unknown:61:package",
    ),
    (
        3,
        "name: Foo",
        "package-without-channel:2: package-name-invalid:3:name default-channel-unknown:4:defaultChannel channel-package-unknown:8:package bundle-package-unknown:24:package bundle-package-unknown:36:package bundle-package-unknown:46:package bundle-package-unknown:54:package deprecations-package-unknown:61:package",
    ),
    (
        3,
        "name: bar",
        "package-without-channel:2: default-channel-unknown:4:defaultChannel channel-package-unknown:8:package bundle-package-unknown:24:package bundle-package-unknown:36:package bundle-package-unknown:46:package bundle-package-unknown:54:package deprecations-package-unknown:61:package",
    ),
    (
        3,
        "name: [foo]",
        "field-type:3:name channel-package-unknown:8:package bundle-package-unknown:24:package bundle-package-unknown:36:package bundle-package-unknown:46:package bundle-package-unknown:54:package deprecations-package-unknown:61:package",
    ),
    (4, "#", "default-channel-missing:2:defaultChannel"),
    (
        4,
        "defaultChannel: other",
        "default-channel-unknown:4:defaultChannel",
    ),
    (5, "icon: {base64data: '*'}", "field-type:5:icon.base64data"),
    (
        70,
        "schema: olm.package\nname: foo\ndefaultChannel: stable\n---\n%",
        "package-duplicate:71:name",
    ),
    (
        70,
        "schema: olm.package\nname: bar\ndefaultChannel: a\n---\n%",
        "package-without-channel:70: default-channel-unknown:72:defaultChannel",
    ),
    (
        8,
        "package: bar",
        "package-without-channel:2: default-channel-unknown:4:defaultChannel channel-package-unknown:8:package entry-without-bundle:11:entries[0].name entry-without-bundle:16:entries[1].name entry-without-bundle:18:entries[2].name entry-without-bundle:20:entries[3].name bundle-not-in-channel:23:name bundle-not-in-channel:35:name bundle-not-in-channel:45:name bundle-not-in-channel:53:name deprecation-reference-unknown:65:entries[1].reference.name",
    ),
    (
        9,
        "name: ''",
        "default-channel-unknown:4:defaultChannel channel-name-missing:9:name deprecation-reference-unknown:65:entries[1].reference.name",
    ),
    (
        70,
        "schema: olm.channel\npackage: foo\nname: stable\nentries:\n- name: foo.v1.0.0\n---\n%",
        "channel-duplicate:72:name",
    ),
    (
        70,
        "schema: olm.channel\npackage: foo\nname: empty\n---\n%",
        "channel-empty:70:entries",
    ),
    (
        20,
        "- name: ''",
        "entry-name-missing:20:entries[3].name bundle-not-in-channel:53:name",
    ),
    (
        20,
        "%\n- name: foo.v1.0.0",
        "entry-duplicate:21:entries[4].name",
    ),
    (
        20,
        "%\n- name: foo.v0.9.0",
        "channel-several-heads:11:entries[0].name entry-without-bundle:21:entries[4].name",
    ),
    (14, "%\n  - ''", "entry-skip-empty:15:entries[0].skips[1]"),
    (
        15,
        "  skipRange: '>=1.0.0, <1.2.0'",
        "entry-skip-range-invalid:15:entries[0].skipRange",
    ),
    (
        20,
        "%\n  replaces: foo.v1.2.0",
        "channel-cycle:20:entries[3].name",
    ),
    (
        20,
        "%\n  skips: [foo.v1.2.0]",
        "channel-without-head:10:entries",
    ),
    (12, "#", "channel-several-heads:11:entries[0].name"),
    (
        19,
        "  replaces: foo.v1.1.0",
        "channel-cycle:18:entries[2].name channel-stranded:20:entries[3].name",
    ),
    (19, "#", "channel-stranded:20:entries[3].name"),
    (
        23,
        "name:",
        "entry-without-bundle:11:entries[0].name bundle-name-missing:23:name",
    ),
    (
        24,
        "package:",
        "entry-without-bundle:11:entries[0].name bundle-package-missing:24:package",
    ),
    (
        24,
        "package: bar",
        "entry-without-bundle:11:entries[0].name bundle-package-unknown:24:package bundle-package-differs:28:properties[0].value.packageName",
    ),
    (
        53,
        "name: foo.v1.1.0",
        "entry-without-bundle:20:entries[3].name bundle-duplicate:53:name deprecation-reference-unknown:67:entries[2].reference.name",
    ),
    (29, "- type: 1", "field-type:29:properties[1].type"),
    (
        30,
        "  value: text",
        "property-invalid:30:properties[1].value",
    ),
    (
        30,
        "  value: {group: 1}",
        "property-invalid:30:properties[1].value.group",
    ),
    (30, "#", "property-invalid:29:properties[1]"),
    (
        30,
        "%\n- type: olm.csv.metadata\n  value: {installModes: [{type: 1}]}",
        "property-invalid:32:properties[2].value.installModes[0].type",
    ),
    (
        30,
        "%\n- type: olm.csv.metadata\n  value: {crdDescriptions: {owned: 3}}",
        "property-invalid:32:properties[2].value.crdDescriptions.owned",
    ),
    (
        42,
        "  value: {data: '*'}",
        "property-invalid:42:properties[1].value.data",
    ),
    (
        42,
        "  value: {data: Wyc=}",
        "property-invalid:42:properties[1].value.data",
    ),
    (27, "- type: other", "bundle-package-property:26:properties"),
    (
        29,
        "- type: olm.package",
        "bundle-package-property:26:properties",
    ),
    (
        28,
        "  value: {packageName: bar, version: 1.2.0}",
        "bundle-package-differs:28:properties[0].value.packageName",
    ),
    (
        28,
        "  value: {packageName: foo, version: v1.2}",
        "bundle-version-invalid:28:properties[0].value.version",
    ),
    (
        28,
        "  value: {packageName: foo, version: 1.2.0, release: '1'}",
        "bundle-release-invalid:28:properties[0].value.release",
    ),
    (
        28,
        "  value: {packageName: foo, version: 1.1.0}",
        "bundle-version-duplicate:50:properties[0].value.version",
    ),
    (25, "#", "bundle-image-missing:22:image"),
    (
        25,
        "image: 'example.com/Foo:'",
        "bundle-image-invalid:25:image",
    ),
    (
        32,
        "- {name: a, image: 'http://a'}",
        "bundle-image-invalid:32:relatedImages[0].image",
    ),
    (
        70,
        "schema: olm.bundle\nname: foo.v0.1.0\npackage: foo\nimage: a/b\nproperties:\n- type: olm.package\n  value: {packageName: foo, version: 0.1.0}\n---\n%",
        "bundle-not-in-channel:71:name",
    ),
    (61, "package: ''", "deprecations-package-missing:61:package"),
    (
        61,
        "package: bar",
        "deprecations-package-unknown:61:package",
    ),
    (
        70,
        "schema: olm.deprecations\npackage: foo\n---\n%",
        "deprecations-duplicate:71:package",
    ),
    (
        63,
        "- reference: {}",
        "deprecation-schema:63:entries[0].reference.schema",
    ),
    (
        63,
        "- reference: {schema: olm.other}",
        "deprecation-schema:63:entries[0].reference.schema",
    ),
    (
        65,
        "- reference: {schema: olm.package}",
        "deprecation-duplicate:65:entries[1].reference",
    ),
    (
        67,
        "- reference: {schema: olm.bundle, name: foo.v9.0.0}",
        "deprecation-reference-unknown:67:entries[2].reference.name",
    ),
    (
        65,
        "- reference: {schema: olm.channel, name: beta}",
        "deprecation-reference-unknown:65:entries[1].reference.name",
    ),
    (
        63,
        "- reference: {schema: olm.package, name: foo}",
        "deprecation-package-named:63:entries[0].reference.name",
    ),
    (
        64,
        "  message: ''",
        "deprecation-message-missing:64:entries[0].message",
    ),
];

/// The catalog with another text in one line.
fn mutated(line: usize, text: &str) -> String {
    let mut lines: Vec<_> = CATALOG.lines().map(str::to_owned).collect();
    lines[line - 1] = text.replace('%', &lines[line - 1]);
    lines.join("\n") + "\n"
}

/// What is found in a catalog of one file: rule, line and field of each.
fn found(world: &World, text: &str, code: i32) -> String {
    world.write("catalog/a.yaml", text);
    let outcome = world.rop("catalog validate --json").exits(code);
    let report: Value = serde_json::from_str(&outcome.stdout).expect("JSON");
    let findings = report["findings"].as_array().expect("a list");
    let shown = findings.iter().map(|finding| {
        assert_eq!(finding["file"], "catalog/a.yaml");
        for field in ["message", "hint"] {
            assert!(finding[field].as_str().is_some_and(|it| !it.is_empty()));
        }
        let text = |field: &str| finding[field].as_str().unwrap_or_default();
        format!("{}:{}:{}", text("rule"), finding["line"], text("field"))
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn each_rule_is_broken_by_one_line() {
    let world = World::new();
    assert_eq!(found(&world, CATALOG, 0), "");
    for (line, text, expected) in ROWS {
        assert_eq!(
            found(&world, &mutated(*line, text), 1),
            *expected,
            "{line}: {text}"
        );
    }
}

/// What `opm validate` v1.59.0 accepts.
const ACCEPTED: &[(usize, &str)] = &[
    (1, "# licence"),
    (1, "---\n# licence"),
    (6, "---\n---"),
    (71, "%\n---"),
    (5, "icon: {base64data: \"QQ\\n==\", mediatype: image/png}"),
    (5, "icon: {base64data: QR==, mediatype: image/png}"),
    (5, "icon: {base64data: [65], mediatype: image/png}"),
];

#[test]
fn what_opm_accepts_is_valid() {
    let world = World::new();
    for (line, text) in ACCEPTED {
        assert_eq!(found(&world, &mutated(*line, text), 0), "", "{text}");
    }
}

/// The page of the book has all rules, which a test of the library compares.
#[test]
fn each_rule_has_a_row() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/book/src/deploy/catalog.md");
    let page = std::fs::read_to_string(page).expect("a page");
    let rules = page.lines().filter_map(|line| {
        let (rule, _) = line.strip_prefix("| `")?.split_once("` |")?;
        (!rule.contains(' ') && !rule.starts_with('-')).then(|| rule.to_owned())
    });
    let rules: BTreeSet<_> = rules.collect();
    let broken = ROWS.iter().flat_map(|(_, _, found)| found.split(' '));
    let broken = broken.filter_map(|finding| finding.split(':').next());
    let mut broken: BTreeSet<_> = broken.map(str::to_owned).collect();
    // It is about a file and not about a line: `links_out_of_the_catalog`.
    broken.insert("file-unreadable".to_owned());
    assert_eq!(rules, broken);
}

/// The only rules that refuse what `opm validate` v1.59.0 accepts, and why they do.
const STRICTER: [(&str, &str); 3] = [
    (
        "entry-skip-range-invalid",
        "opm does not read ranges, and OLM does not upgrade along one that it cannot read",
    ),
    (
        "bundle-release-invalid",
        "this opm does not know releases, and those that do refuse it",
    ),
    (
        "bundle-image-invalid",
        "opm does not read references, and no node can pull such an image",
    ),
];

/// Its verdict is the same but for [`STRICTER`]: it stops at the first error, and names neither file nor line.
#[test]
fn opm_refuses_the_same() {
    let Ok(version) = Command::new("opm").arg("version").output() else {
        say("skipped: what opm makes of catalogs, as opm is not on PATH");
        return;
    };
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let world = World::new();
    let accepts = |text: &str| {
        world.write("catalog/a.yaml", text);
        let mut opm = world.program("opm", ".");
        world.run(opm.args(["validate", "catalog"])).code == 0
    };
    assert!(accepts(CATALOG), "{version}");
    let mut accepted = BTreeSet::new();
    for (line, text, found) in ROWS {
        let rule = found.split(':').next();
        if accepts(&mutated(*line, text)) {
            accepted.insert(rule.expect("a rule"));
        }
    }
    let stricter: BTreeSet<_> = STRICTER.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(accepted, stricter, "{version}");
    for (line, text) in ACCEPTED {
        assert!(accepts(&mutated(*line, text)), "{text}");
    }
}

#[test]
fn a_finding_says_what_where_and_what_to_do() {
    let world = World::new();
    world.write(
        "catalog/foo/catalog.yaml",
        &mutated(20, "%\n  replaces: foo.v1.2.0"),
    );
    insta::assert_snapshot!(world.rop("catalog validate").exits(1), @"
    exit: 1
    --- stderr
    error[invalid-catalog]: the catalog `catalog` has 1 error:
      catalog/foo/catalog.yaml:20: entries of the channel `stable` replace each other in a cycle: `foo.v1.0.0` -> `foo.v1.2.0` -> `foo.v1.1.0` -> `foo.v1.0.0` [channel-cycle]
        field: entries[3].name
        hint: remove the `replaces` of the oldest entry in the cycle
    ");
    world.write("catalog/foo/catalog.yaml", &mutated(12, "#"));
    insta::assert_snapshot!(world.rop("catalog validate").exits(1), @"
    exit: 1
    --- stderr
    error[invalid-catalog]: the catalog `catalog` has 1 error:
      catalog/foo/catalog.yaml:11: the channel `stable` has 2 heads: `foo.v1.1.0`, `foo.v1.2.0` [channel-several-heads]
        field: entries[0].name
        hint: let the newest entry replace or skip the other heads
    ");
    world.write("catalog/foo/catalog.yaml", &mutated(53, "name: foo.v1.0.1"));
    insta::assert_snapshot!(world.rop("catalog validate").exits(1), @"
    exit: 1
    --- stderr
    error[invalid-catalog]: the catalog `catalog` has 3 errors:
      catalog/foo/catalog.yaml:20: the entry `foo.v1.0.0` of the channel `stable` has no `olm.bundle` blob [entry-without-bundle]
        field: entries[3].name
        hint: add the bundle: `rop catalog add BUNDLE_DIR`, or remove the entry
      catalog/foo/catalog.yaml:53: the bundle `foo.v1.0.1` is in no channel of `foo` [bundle-not-in-channel]
        field: name
        hint: add an entry with its name to a channel, or remove the bundle
      catalog/foo/catalog.yaml:67: the deprecated bundle `foo.v1.0.0` does not exist [deprecation-reference-unknown]
        field: entries[2].reference.name
        hint: name a channel or a bundle of the package, or remove the entry
    ");
    world.write("catalog/foo/catalog.yaml", CATALOG);
    insta::assert_snapshot!(world.rop("catalog validate").ok(), @"
    exit: 0
    --- stderr
         done the catalog is valid: 1 package, 1 channel, 4 bundles
    ");
    insta::assert_snapshot!(world.rop("catalog validate nowhere").exits(1), @"
    exit: 1
    --- stderr
    error[unreadable-file]: there is no catalog in `nowhere`
    hint: create a catalog with `rop catalog init PACKAGE`, or pass the path of an existing one
    ");
}
