//! PROJECT as text.

use serde::{Deserialize, Deserializer, de};

use crate::disk::View;
use crate::error::{Code, Error, Result};
use crate::git;
use crate::yaml;

use super::kind::{Origin, joined};
use super::name::Kind;
use super::{Library, Project, release};

/// The name of the file, as kubebuilder has it.
pub const FILE_NAME: &str = "PROJECT";

/// What every release can read: who wrote the file, and in which format.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Writer {
    version: Option<String>,
    layout: Option<serde_json::Value>,
    cli_version: Option<semver::Version>,
}

/// What to do about a PROJECT that two branches changed. Git takes lines that entries have in common out of them.
const MERGED: &str = "resolve the merge conflicts, keeping each entry as it was on its branch, \
    and run `rop generate project`";

/// What to do about a PROJECT that cannot be read.
const MALFORMED: &str = "correct PROJECT at this place, or restore the file with git";

impl Project {
    /// Reads the text of a PROJECT file.
    ///
    /// # Errors
    /// It is not YAML, not of this format, from a newer release, or holds a name that cannot be;
    /// the message has line and column.
    pub fn parse(text: &str) -> Result<Self> {
        let malformed = |e: yaml::Error| {
            let error = Error::new(Code::MalformedProject, e.in_file(FILE_NAME))
                .context(format!("malformed {FILE_NAME}"));
            error.hint(if git::is_in_conflict(text) {
                MERGED
            } else {
                MALFORMED
            })
        };
        let writer: Writer = yaml::from_str(text).map_err(malformed)?;
        writer.check()?;
        let mut project: Self =
            yaml::from_str(text).map_err(|error| malformed(invalid_kind(text).unwrap_or(error)))?;
        let checked = joined(std::mem::take(&mut project.kinds)).and_then(|kinds| {
            project.kinds = kinds;
            project.check()
        });
        checked.map_err(|e| {
            let error = e.context(format!("malformed {FILE_NAME}"));
            let is_name = error.code() == Code::NameTaken;
            match project.merged_domain().filter(|_| is_name) {
                Some(hint) => error.hint(hint),
                None if error.hints().is_empty() => error.hint(MALFORMED),
                None => error,
            }
        })?;
        Ok(project)
    }

    /// The way out if a branch was merged that had another domain. Kinds that it added to a group are still in that
    /// domain, and files of one group are not called after two.
    fn merged_domain(&self) -> Option<String> {
        let domain = &self.domain;
        let domains = self.kinds.iter().filter_map(|kind| match &kind.origin {
            Origin::Own(own) => Some((&kind.group, &kind.name, &own.domain)),
            _ => None,
        });
        let (others, own): (Vec<_>, Vec<_>) = domains.partition(|(.., of)| *of != domain);
        let is_in_group = |group| own.iter().any(|(own, ..)| *own == group);
        let (_, name, other) = others.into_iter().find(|(group, ..)| is_in_group(*group))?;
        Some(format!(
            "if you merged a branch with the domain `{other}`: in {FILE_NAME}, change the domain of {name} to \
            `{domain}`, then run `rop generate project`"
        ))
    }

    /// The project in `view`, if there is one.
    ///
    /// # Errors
    /// As [`Project::parse`].
    pub fn read(view: &View) -> Result<Option<Self>> {
        let Some(text) = view.read_own(FILE_NAME)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            library: Library::read(view),
            ..Self::parse(&text)?
        }))
    }

    /// The text of a new PROJECT file.
    pub fn to_text(&self) -> Result<String> {
        Ok(format!(
            "# What rop knows of this project: commands read and edit it. Unknown fields are kept.\n{}",
            yaml::to_string(self)?
        ))
    }
}

/// The error of a kind that cannot be the project's own, which names its line: that of the whole entry does not.
fn invalid_kind(text: &str) -> Option<yaml::Error> {
    #[derive(Deserialize)]
    struct Kinds {
        #[serde(default, rename = "resources")]
        _resources: Vec<Named>,
    }
    #[derive(Deserialize)]
    struct Named {
        #[serde(rename = "kind", deserialize_with = "own_kind")]
        _kind: Kind,
    }
    // Kinds of other operators can have such names.
    let is_own = !text.contains("external: true");
    is_own
        .then(|| yaml::from_str::<Kinds>(text).err())
        .flatten()
}

fn own_kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Kind, D::Error> {
    let kind = Kind::deserialize(deserializer)?;
    kind.check_own().map_err(de::Error::custom)?;
    Ok(kind)
}

impl Writer {
    fn check(&self) -> Result<()> {
        if let Some(version) = &self.version
            && version != Project::FORMAT
        {
            return Err(Error::new(
                Code::NewerProject,
                format!(
                    "{FILE_NAME} has the format `version: {version}`, but this rop reads {}",
                    Project::FORMAT
                ),
            )
            .hint("install a release of rop that reads this format"));
        }
        let layout = self.layout.as_ref().map(ToString::to_string);
        if let Some(layout) = layout
            && !layout.contains(Project::LAYOUT)
        {
            return Err(Error::new(
                Code::ForeignProject,
                format!(
                    "{FILE_NAME} belongs to another tool: its layout is {layout}, not {}",
                    Project::LAYOUT
                ),
            )
            .hint("run rop in another directory"));
        }
        match &self.cli_version {
            Some(writer) if *writer > release() => Err(Error::new(
                Code::NewerProject,
                format!(
                    "the project was written by rop {writer}, but this is rop {}",
                    release()
                ),
            )
            .hint(format!("install rop {writer} or newer"))),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::{ProjectKind, Template};

    fn project() -> Project {
        let mut project = Project::new(
            "app-operator".parse().expect("a name"),
            "example.com".parse().expect("a domain"),
        );
        let mut kind = ProjectKind {
            plural: "on".parse().expect("a plural"),
            finalizer: true,
            ..ProjectKind::own(
                project.domain.clone(),
                "app".parse().expect("a group"),
                "v1".parse().expect("a version"),
                "On".parse().expect("a kind"),
            )
        };
        kind.versions[0].template = Template::Pod;
        project.add(kind).expect("a project");
        project
    }

    #[test]
    fn reads_what_it_wrote() {
        let text = project().to_text().expect("text");
        assert!(text.contains("plural: \"on\""), "{text}");
        assert_eq!(Project::parse(&text).expect(&text), project());
    }

    #[test]
    fn says_where_it_is_malformed() {
        let text = project().to_text().expect("text");
        for (from, to) in [
            ("kind: \"On\"", "kind: on_"),
            ("controller: true", "controller: ["),
        ] {
            let error = Project::parse(&text.replace(from, to)).expect_err(to);
            let chain: Vec<_> = error.chain().collect();
            assert!(chain.join(": ").contains("line "), "{chain:?}");
        }
    }

    #[test]
    fn says_what_a_person_can_do_about_a_key_that_stands_twice() {
        let text = project().to_text().expect("text");
        let twice = text.replace("projectName:", "projectName: other\nprojectName:");
        let error = Project::parse(&twice).expect_err("a key that stands twice");
        let chain = error.chain().collect::<Vec<_>>().join(": ");
        assert!(
            chain.contains("duplicate mapping key: projectName\n"),
            "{chain}"
        );
        assert!(!chain.contains("Options"), "{chain}");
    }

    #[test]
    fn conflicts_of_git_have_a_hint() {
        let text = project().to_text().expect("text");
        let marked = text
            .replace("  kind:", "<<<<<<< HEAD\n  kind: \"A\"\n=======\n  kind:")
            .replace("kind: \"On\"\n", "kind: \"On\"\n>>>>>>> other\n");
        for text in [marked.replace('\n', "\r\n"), marked] {
            let error = Project::parse(&text).expect_err("in conflict");
            assert_eq!(error.hints(), [MERGED], "{text}");
        }
    }

    #[test]
    fn refuses_a_finalizer_without_a_controller() {
        let text = project().to_text().expect("text");
        let error = Project::parse(&text.replace("  controller: true\n", ""))
            .expect_err("nobody takes it off");
        assert!(error.chain().any(|m| m.contains("no controller")));
    }

    #[test]
    fn refuses_a_newer_writer() {
        let text = project()
            .to_text()
            .expect("text")
            .replace("cliVersion: \"0", "cliVersion: \"99");
        let error = Project::parse(&text).expect_err("newer");
        assert!(error.chain().any(|m| m.contains("written by rop 99.")));
    }
}
