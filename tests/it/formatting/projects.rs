//! Projects whose names have every length that decides where a line is broken.

use rop::project::name::{ControllerName, Version};
use rop::project::{External, Library, Project, ProjectKind, Template};

/// As long as a kind may be.
const LONGEST_KIND: usize = 59;

/// As long as the name of a project may be, and a short one.
pub(super) const NAMES: [&str; 2] = ["a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8s9t0u1v2", "x"];

fn project(name: &str) -> Project {
    let name = name.parse().expect("a name");
    Project::new(name, "example.com".parse().expect("a domain"))
}

fn version(name: &str) -> Version {
    name.parse().expect("a version")
}

/// A kind of the project's own.
fn own(project: &Project, group: &str, of: &str, kind: &str) -> ProjectKind {
    ProjectKind::own(
        project.domain.clone(),
        group.parse().expect("a group"),
        version(of),
        kind.parse().expect("a kind"),
    )
}

/// Gives a kind all webhooks and policies.
fn admit(kind: &mut ProjectKind) {
    kind.webhooks.defaulting = true;
    kind.webhooks.validation = true;
    kind.policies.mutating = true;
    kind.policies.validating = true;
}

/// Gives a kind more versions. They are converted where the length of its name may matter: that takes most of the time.
fn add_versions(kind: &mut ProjectKind, versions: &[&str]) {
    let is_converted = !(5..40).contains(&kind.name.as_str().len());
    for name in versions {
        let newer = kind.in_version(version(name));
        kind.versions.extend(newer.versions);
        if is_converted {
            kind.webhooks.conversion = true;
            kind.webhooks.spoke.push(version(name));
        }
    }
}

/// Checks that it is a project that commands could have made.
fn checked(project: Project) -> Project {
    project.check().expect("kinds that can be");
    project
}

/// Kinds of all lengths from all templates.
pub(super) fn kinds(name: &str, group: &str) -> Project {
    let mut project = project(name);
    for (index, template) in Template::all().iter().enumerate() {
        let initial = template.to_string()[..1].to_uppercase();
        for length in 1..=LONGEST_KIND {
            let kind = format!("{initial}{}", "x".repeat(length - 1));
            let mut kind = own(&project, group, "v1alpha1", &kind);
            kind.versions[0].template = *template;
            kind.finalizer = true;
            // Those of all templates are the same.
            match index {
                0 => admit(&mut kind),
                1 => add_versions(&mut kind, &["v10"]),
                _ => {}
            }
            project.kinds.push(kind);
        }
    }
    checked(project)
}

/// Kinds of all lengths in folders of two groups, one of which is as long as a group may be.
pub(super) fn groups(name: &str) -> Project {
    let mut project = project(name);
    project.multigroup = true;
    let long = ["a".repeat(63), "b".repeat(63)].join(".");
    for group in ["batch-jobs", &long] {
        for length in (1..=LONGEST_KIND).filter(|length| group.len() < 20 || length % 10 == 9) {
            let mut kind = own(&project, group, "v1", &"K".repeat(length));
            kind.versions[0].template = Template::all()[length % 4];
            admit(&mut kind);
            add_versions(&mut kind, &["v2"]);
            project.kinds.push(kind);
        }
    }
    checked(project)
}

/// Controllers, webhooks and policies of kinds that are not the project's own.
pub(super) fn others(name: &str) -> Project {
    let mut project = project(name);
    project.multigroup = true;
    let kind = own(&project, "app", "v1", "App");
    project.kinds.push(kind);
    let built_in = ProjectKind::all_built_in();
    let mut kinds: Vec<_> = built_in
        .filter(|kind| ["core", "apps"].contains(&kind.group.as_str()))
        .collect();
    for length in 1..=LONGEST_KIND {
        kinds.push(external(&project, &"K".repeat(length), None));
        let of_crate = Some(("types@1.0", "types"));
        kinds.push(external(&project, &"L".repeat(length), of_crate));
        let of_crate = Some(("long-types@1.0", "long_types::api::of_many_kinds::v1"));
        kinds.push(external(&project, &"M".repeat(length), of_crate));
    }
    for mut kind in kinds {
        admit(&mut kind);
        kind.add_controller(&kind.hub.clone(), None);
        project.kinds.push(kind);
    }
    // The first kind is the project's own.
    for length in 1..=54 {
        let name: ControllerName = "b".repeat(length).parse().expect("a name");
        for kind in &mut project.kinds[..2] {
            kind.add_controller(&kind.hub.clone(), Some(name.clone()));
        }
    }
    checked(project)
}

/// A kind of another operator, whose type a crate has or is generated.
fn external(project: &Project, kind: &str, of_crate: Option<(&str, &str)>) -> ProjectKind {
    let group = "example.org".parse().expect("a group");
    let path = project.external_path(&group, &version("v1"));
    let external = External {
        domain: "org".parse().expect("a domain"),
        path: of_crate.map_or(path, |(_, path)| path.to_owned()),
        module: of_crate.map(|(module, _)| module.parse().expect("a crate")),
    };
    let group = "example".parse().expect("a group");
    let kind = kind.parse().expect("a kind");
    ProjectKind::external(group, version("v1"), kind, external)
}

/// Kinds of all lengths with up to six versions, of which some are deprecated or not served.
pub(super) fn versions() -> Project {
    let mut project = project("versions");
    for length in 1..=LONGEST_KIND {
        let mut kind = own(&project, "app", "v2", &"K".repeat(length));
        let more = [
            &[][..],
            &["v3"],
            &["v3", "v10", "v2alpha1"],
            &["v3beta1", "v10beta12"],
            &["v3", "v4", "v5", "v6", "v7"],
        ];
        add_versions(&mut kind, more[length % 5]);
        for (index, version) in kind.versions.iter_mut().enumerate() {
            version.served = index == 0 || (length + index) % 3 > 0;
            version.deprecated = (length + index) % 4 > 0;
            let warning = ["warned", "größer \"(", "), {"].map(|part| part.repeat(length / 8));
            let warning = warning.concat().parse();
            version.deprecation_warning = warning
                .ok()
                .filter(|_| version.deprecated && index % 2 == 0);
        }
        project.kinds.push(kind);
    }
    for length in 1..=100 {
        let mut kind = own(&project, "app", "v2", &format!("Warned{length}"));
        kind.versions[0].deprecated = true;
        let warning = "w".repeat(length).parse().expect("a warning");
        kind.versions[0].deprecation_warning = Some(warning);
        project.kinds.push(kind);
    }
    checked(project)
}

/// Names with numbers, by which rustfmt sorts.
pub(super) fn numbers() -> Project {
    let mut project = project("numbers");
    project.multigroup = true;
    for group in ["g10", "g2", "1st"] {
        for kind in [
            "App10", "App2", "App1", "A10B2", "A2B10", "Type", "R2d2", "R2D2x",
        ] {
            let mut kind = own(&project, group, "v2", kind);
            admit(&mut kind);
            add_versions(
                &mut kind,
                &["v10", "v1", "v2beta1", "v2alpha10", "v2alpha2"],
            );
            project.kinds.push(kind);
        }
    }
    checked(project)
}

/// Projects of all lengths, also as older releases made them, with a kind and without.
pub(super) fn names() -> impl Iterator<Item = Project> {
    (1..=NAMES[0].len()).map(|length| {
        let mut project = project(&NAMES[0][..length]);
        project.library = Library {
            has_register: length % 3 == 0,
            has_state_for_tests: length % 2 == 0,
        };
        let mut kind = own(&project, "app", "v1", "AppService");
        if length % 4 == 1 {
            admit(&mut kind);
            add_versions(&mut kind, &["v2"]);
        }
        if length % 5 > 0 {
            project.kinds.push(kind);
        }
        checked(project)
    })
}
