use super::*;

/// A folder that kustomize would render is left to it when it says something that is not known here.
#[test]
fn what_is_not_known_is_left_to_kustomize() {
    let head = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
    let object = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n";
    for (kustomization, object, is_known) in [
        ("resources: [a.yaml]\n", object, true),
        (
            "resources: [a.yaml]\ncommonAnnotations: {a: b}\n",
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
            .with(files.map(|(path, text)| (path.to_owned(), text)));
        let view = view.expect("a view");
        assert_eq!(
            render(&view, "a").is_some(),
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
    assert!(render(&view, "0").is_none());
    assert!(render(&view, "top").is_none());
}
