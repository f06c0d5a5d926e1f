//! What a template's path declares: `templates/<set>/<destination>.<ownership>[.tera]`. The sets of a kind are
//! `kind/<template>/<part>`, those of webhooks `webhook/<part>`, and those of policies `policy/<part>`.

use crate::plan::Ownership;

/// The names that may stand in braces in a destination.
#[derive(Clone, Debug, Default)]
pub(super) struct Variables {
    /// The group: as a Rust module below `api/` and `src/`, as Kubernetes writes it below `config/`.
    pub(super) group: Spelling,
    /// The group with its domain.
    pub(super) api_group: String,
    pub(super) version: String,
    /// The kind: as a Rust module, or lowercased below `config/`.
    pub(super) kind: Spelling,
    pub(super) plural: String,
    /// The path of the controller's module below `src/controller/`.
    pub(super) controller: String,
    /// The path of the module of a kind's webhooks below `src/webhook/`.
    pub(super) webhook: String,
    /// The module of the conversion between two versions.
    pub(super) conversion: String,
    /// A kind's policies: as a path of modules below `tests/cluster/policies/`, and as what the names of their
    /// files below `config/policy/` start with.
    pub(super) policy: Spelling,
    /// What the names of the files below `config/rbac/` start with that hold roles for people.
    pub(super) role: String,
}

/// A name as Rust and as Kubernetes spell it.
#[derive(Clone, Debug, Default)]
pub(super) struct Spelling {
    pub(super) rust: String,
    pub(super) kubernetes: String,
}

impl Spelling {
    pub(super) fn new(rust: String, kubernetes: impl ToString) -> Self {
        Self {
            rust,
            kubernetes: kubernetes.to_string(),
        }
    }
}

/// A template's path, taken apart.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TemplatePath<'a> {
    pub(super) set: &'a str,
    pub(super) destination: &'a str,
    pub(super) ownership: Ownership,
    pub(super) rendered: bool,
}

impl<'a> TemplatePath<'a> {
    /// Takes a path below `templates/` apart; `None` where it does not have the form.
    pub(super) fn parse(path: &'a str) -> Option<Self> {
        let levels = match path.split('/').next()? {
            "kind" => 3,
            "policy" | "webhook" => 2,
            _ => 1,
        };
        let (end, _) = path.match_indices('/').nth(levels - 1)?;
        let (set, rest) = (&path[..end], &path[end + 1..]);
        let (rest, rendered) = match rest.strip_suffix(".tera") {
            Some(rest) => (rest, true),
            None => (rest, false),
        };
        let (destination, ownership) = rest.rsplit_once('.')?;
        Some(Self {
            set,
            destination,
            ownership: Ownership::from_name(ownership)?,
            rendered,
        })
    }

    /// The destination with the variables put in.
    pub(super) fn expand(&self, variables: &Variables) -> String {
        let in_config = self.destination.starts_with("config/");
        let spell = |spelling: &'_ Spelling| {
            if in_config {
                spelling.kubernetes.clone()
            } else {
                spelling.rust.clone()
            }
        };
        if !self.destination.contains('{') {
            return self.destination.to_owned();
        }
        self.destination
            .replace("{group}", &spell(&variables.group))
            .replace("{api_group}", &variables.api_group)
            .replace("{version}", &variables.version)
            .replace("{kind}", &spell(&variables.kind))
            .replace("{plural}", &variables.plural)
            .replace("{controller}", &variables.controller)
            .replace("{conversion}", &variables.conversion)
            .replace("{policy}", &spell(&variables.policy))
            .replace("{role}", &variables.role)
            .replace("{webhook}", &variables.webhook)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_says_set_destination_class_and_whether_it_is_rendered() {
        assert_eq!(
            TemplatePath::parse("version/api/src/{group}/mod.rs.owned.tera"),
            Some(TemplatePath {
                set: "version",
                destination: "api/src/{group}/mod.rs",
                ownership: Ownership::Owned,
                rendered: true,
            })
        );
        let of_kind =
            TemplatePath::parse("kind/pod/api/api/src/{kind}.rs.seeded.tera").expect("a template");
        assert_eq!(
            (of_kind.set, of_kind.destination),
            ("kind/pod/api", "api/src/{kind}.rs")
        );
        assert_eq!(
            TemplatePath::parse("project/.gitignore.seeded"),
            Some(TemplatePath {
                set: "project",
                destination: ".gitignore",
                ownership: Ownership::Seeded,
                rendered: false,
            })
        );
        for bad in [
            "versions.toml",
            "project/Makefile",
            "project/x.other",
            "kind/pod/x.owned",
        ] {
            assert_eq!(TemplatePath::parse(bad), None, "{bad}");
        }
    }
}
