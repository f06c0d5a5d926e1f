//! The tests of the image `scorecard-test`.

mod crds;
mod descriptors;
mod examples;

use crate::olm::read::{Bundle, Node};
use crate::olm::validate::{Input, Level, Options, check, name};

use super::verdict::Verdict;

/// A test that rop runs itself.
#[derive(Debug)]
pub(crate) struct BuiltIn {
    pub(crate) name: &'static str,
    run: fn(&Input<'_>, &mut Verdict),
}

const ALL: [BuiltIn; 6] = [
    BuiltIn {
        name: "basic-check-spec",
        run: examples::have_spec,
    },
    BuiltIn {
        name: "olm-bundle-validation",
        run: validation,
    },
    BuiltIn {
        name: "olm-crds-have-validation",
        run: crds::have_validation,
    },
    BuiltIn {
        name: "olm-crds-have-resources",
        run: crds::have_resources,
    },
    BuiltIn {
        name: "olm-spec-descriptors",
        run: descriptors::of_spec,
    },
    BuiltIn {
        name: "olm-status-descriptors",
        run: descriptors::of_status,
    },
];

/// The test of a name.
pub(super) fn find(name: &str) -> Option<&'static BuiltIn> {
    ALL.iter().find(|test| test.name == name)
}

/// The names of all, for a message.
pub(super) fn names() -> String {
    ALL.map(|test| format!("`{}`", test.name)).join(", ")
}

impl BuiltIn {
    pub(super) fn run(&self, bundle: &Bundle) -> Verdict {
        let options = Options::default();
        let input = Input {
            bundle,
            options: &options,
        };
        let mut verdict = Verdict::new(self.name);
        (self.run)(&input, &mut verdict);
        verdict.limit();
        verdict
    }
}

fn validation(input: &Input<'_>, verdict: &mut Verdict) {
    let report = check(input.bundle, input.options);
    let errors = report.count(Level::Error);
    let (warnings, rules) = (report.count(Level::Warning), report.rules);
    verdict.log.push(format!(
        "checked {rules} rules: {errors} errors, {warnings} warnings"
    ));
    verdict.findings = report.findings;
}

/// The `ClusterServiceVersion`, which all but one of the tests need.
fn csv<'a>(input: &Input<'a>, verdict: &mut Verdict) -> Option<Node<'a>> {
    if let Some(csv) = input.csv() {
        verdict
            .log
            .push(format!("read the ClusterServiceVersion {}", name(&csv)));
        return Some(csv);
    }
    let bundle = input.bundle;
    let mut errors = verdict.errors("correct the files, which `rop bundle validate` checks too");
    errors.file(
        &bundle.folder,
        "the bundle has no readable ClusterServiceVersion",
    );
    let inside = bundle.troubles.iter().filter(|trouble| {
        trouble.file.starts_with(&bundle.folder) && trouble.file != bundle.folder
    });
    for trouble in inside {
        errors.trouble(trouble);
    }
    None
}

/// What a log says of what was read.
fn counted(count: usize, one: &str, many: &str) -> String {
    let what = if count == 1 { one } else { many };
    format!("read {count} {what}")
}
