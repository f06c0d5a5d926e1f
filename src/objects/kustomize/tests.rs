use super::*;

/// A folder that kustomize would render is left to it when it says something that is not known here.
#[test]
fn what_is_not_known_is_left_to_kustomize() {
    let head = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
    for (kustomization, object, is_known) in [
        ("resources: [a.yaml]\n", object, true),
        (
            "resources: [a.yaml]\nvars: [{name: A, objref: {kind: ConfigMap, name: a}}]\n",
            object,
            false,
        ),
        (
            "resources: [a.yaml, https://example.com/b.yaml]\n",
            object,
            false,
        ),
        ("resources: [a.yaml, ../../b.yaml]\n", object, false),
        ("resources: [a.yaml, ../a]\n", object, false),
        ("resources: [a.yaml, a.yaml]\n", object, false),
        (
            "resources: [a.yaml]\npatches: [{path: ../a/../b.yaml}]\n",
            object,
            false,
        ),
        (
            "resources: [a.yaml]\n",
            "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n",
            false,
        ),
        (
            "resources: [a.yaml]\n",
            "kind: ConfigMap\nmetadata: {name: a}\n",
            false,
        ),
        (
            "resources: [a.yaml]\n",
            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {mode: 0644}\n",
            false,
        ),
    ] {
        let root = tempfile::tempdir().expect("a folder");
        let files = [
            ("a/kustomization.yaml", format!("{head}{kustomization}")),
            ("a/a.yaml", object.to_owned()),
        ];
        let view = View::of(root.path())
            .expect("a view")
            .with(files.map(|(path, text)| (path.to_owned(), text)))
            .expect("a view");
        assert_eq!(
            render(&view, "a", &Parsed::default()).is_ok(),
            is_known,
            "{kustomization}{object}"
        );
    }
}

/// Folders that list each other many times are not read for ever, nor is one that lists itself.
#[test]
fn folders_that_list_each_other_end() {
    let root = tempfile::tempdir().expect("a folder");
    let kustomization =
        |kind: &str, list: String| format!("apiVersion: kustomize.config.k8s.io/{kind}\n{list}");
    let resources = |folder: usize| {
        let lines = format!("- ../{}\n", folder + 1).repeat(20);
        kustomization(
            "v1beta1\nkind: Kustomization",
            format!("resources:\n{lines}"),
        )
    };
    let mut files: Vec<_> = (0..15)
        .map(|folder| (format!("{folder}/kustomization.yaml"), resources(folder)))
        .collect();
    files.push((
        "15/kustomization.yaml".to_owned(),
        kustomization("v1beta1\nkind: Kustomization", String::new()),
    ));
    let itself = "components: [., ., .]\n".to_owned();
    files.push((
        "self/kustomization.yaml".to_owned(),
        kustomization("v1alpha1\nkind: Component", itself),
    ));
    let top = "components: [../self]\n".to_owned();
    files.push((
        "top/kustomization.yaml".to_owned(),
        kustomization("v1beta1\nkind: Kustomization", top),
    ));
    let view = View::of(root.path())
        .expect("a view")
        .with(files)
        .expect("a view");
    assert!(render(&view, "0", &Parsed::default()).is_err());
    assert!(render(&view, "top", &Parsed::default()).is_err());
}

const HEAD: &str = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";

fn rendered(kustomization: &str, object: &str) -> Result<Vec<Value>, String> {
    let root = tempfile::tempdir().expect("a folder");
    let files = [
        ("a/kustomization.yaml", format!("{HEAD}{kustomization}")),
        ("a/a.yaml", object.to_owned()),
    ];
    let view = View::of(root.path())
        .expect("a view")
        .with(files.map(|(path, text)| (path.to_owned(), text)));
    render(&view.expect("a view"), "a", &Parsed::default()).map_err(Unrendered::into_reason)
}

/// Values that double with each line, and lists that are multiplied, end.
#[test]
fn what_grows_without_end_ends() {
    let object = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\nspec: {text: ab, deep: {a: b}, list: [a, b]}\n";
    for (field, options) in [
        ("spec.text", "options: {delimiter: '-', index: 9}, "),
        ("spec.deep", ""),
    ] {
        let to = if options.is_empty() {
            "spec.deep.x"
        } else {
            field
        };
        let create = if options.is_empty() {
            "options: {create: true}, "
        } else {
            options
        };
        let line = format!(
            "- {{source: {{kind: A, fieldPath: {field}}}, targets: [{{{create}select: {{kind: A}}, fieldPaths: [{to}]}}]}}\n"
        );
        let few = format!("resources: [a.yaml]\nreplacements:\n{}", line.repeat(3));
        assert!(
            rendered(&few, object).is_ok(),
            "{:?}",
            rendered(&few, object)
        );
        let many = format!("resources: [a.yaml]\nreplacements:\n{}", line.repeat(1000));
        let place = rendered(&many, object).expect_err("no end");
        assert!(place.ends_with("replacements in `a`"), "{place}");
    }
}

/// Many patches of many objects, and many labels: kubectl may not do that work either.
#[test]
fn work_that_multiplies_is_refused() {
    let object =
        |index| format!("---\napiVersion: v1\nkind: ConfigMap\nmetadata: {{name: a{index}}}\n");
    let objects: String = (0..500).map(object).collect();
    let operation = "{\"op\": \"add\", \"path\": \"/data\", \"value\": {}}";
    let operations = vec![operation; 3000].join(", ");
    let patch = format!("patches:\n- target: {{kind: ConfigMap}}\n  patch: '[{operations}]'\n");
    let merges: String = (0..500)
        .map(|index| {
            format!("- |\n  apiVersion: v1\n  kind: ConfigMap\n  metadata: {{name: a{index}}}\n")
        })
        .collect();
    let merges = format!("patchesStrategicMerge:\n{}", merges.repeat(30));
    let labels: String = (0..5000)
        .map(|index| format!("  label{index}: a\n"))
        .collect();
    let labels = format!("commonAnnotations:\n{labels}");
    for more in [patch, merges, labels] {
        let kustomization = format!("resources: [a.yaml]\n{more}");
        let reason = rendered(&kustomization, &objects).expect_err("too much");
        assert!(reason.contains("takes too much work"), "{reason}");
    }
}

/// Reading a pipe may never end.
#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused() {
    let root = tempfile::tempdir().expect("a folder");
    let folder = tempfile::Builder::new()
        .prefix("a")
        .rand_bytes(0)
        .tempdir_in(&root)
        .expect("a folder");
    let pipe = folder.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo").success());
    for line in [
        "resources: [pipe]",
        "configMapGenerator: [{name: a, files: [pipe]}]",
    ] {
        let text = format!("{HEAD}{line}\n");
        let view = View::of(root.path())
            .expect("a view")
            .with([("a/kustomization.yaml".to_owned(), text)]);
        match render(&view.expect("a view"), "a", &Parsed::default()) {
            Err(Unrendered::Refused(error)) => {
                let reason = error.chain().collect::<Vec<_>>().join(": ");
                assert!(reason.contains("not a regular file"), "{reason}");
            }
            other => panic!("{line}: {other:?}"),
        }
    }
}

#[test]
fn hostile_selectors_are_left() {
    let object = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\n";
    for (target, is_known) in [
        ("{kind: A}", true),
        ("{kind: '(a{1000}){1000}{1000}'}", false),
        ("{name: '('}", false),
        ("{name: '(?i)A'}", false),
        ("{name: '[a&&b]'}", false),
        ("{labelSelector: 'a in (b)'}", false),
        ("{labelSelector: ','}", false),
        ("{annotationSelector: 'a=b=c'}", false),
        ("{kind: A, other: b}", false),
    ] {
        let kustomization = format!(
            "resources: [a.yaml]\npatches:\n- target: {target}\n  patch: '[{{\"op\": \"add\", \"path\": \"/a\", \"value\": 1}}]'\n"
        );
        assert_eq!(
            rendered(&kustomization, object).is_ok(),
            is_known,
            "{target}"
        );
    }
}

/// kustomize reads a kustomization as YAML 1.1, and objects as YAML 1.2.
#[test]
fn words_that_are_booleans_in_a_kustomization_are_left() {
    let object = "apiVersion: example.com/v1\nkind: A\nmetadata: {name: a}\nspec: {on: no}\n";
    for (line, is_known) in [
        ("namePrefix: a- # on", true),
        ("namePrefix: \"y\"", true),
        ("namePrefix: y", false),
        ("labels: [{pairs: {a: No}}]", false),
        ("commonAnnotations: {on: a}", false),
    ] {
        let kustomization = format!("resources: [a.yaml]\n{line}\n");
        assert_eq!(rendered(&kustomization, object).is_ok(), is_known, "{line}");
    }
}
