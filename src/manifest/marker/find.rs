//! Tells a marker from any other comment.

use super::diagnostic::Diagnostic;
use crate::suggest;

/// Those whose markers are read: kubebuilder's users know the first, the second is ours.
const PREFIXES: [&str; 2] = ["kubebuilder", "rop"];

/// What a marker is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::manifest) enum Name {
    /// What the operator may do.
    Rbac,
    /// What the API server asks it.
    Webhook,
}

impl Name {
    const ALL: [Self; 2] = [Self::Rbac, Self::Webhook];

    fn as_str(self) -> &'static str {
        match self {
            Self::Rbac => "rbac",
            Self::Webhook => "webhook",
        }
    }

    /// A marker as it should be.
    fn example(self) -> &'static str {
        match self {
            Self::Rbac => "rbac:groups=apps,resources=deployments,verbs=get;list;watch",
            Self::Webhook => {
                "webhook:path=/validate--v1-pod,mutating=false,groups=\"\",resources=pods,verbs=create,versions=v1,name=vpod-v1.kb.io"
            }
        }
    }
}

/// The arguments of the marker of that name in a line comment, `None` where it holds none.
///
/// As controller-gen has it, a marker is a line comment that starts with `+`; Rust's doc comments
/// count too.
///
/// # Errors
/// The comment is nearly such a marker, and would be passed over in silence.
pub(super) fn arguments(comment: &str, marker_name: Name) -> Option<Result<&str, Diagnostic>> {
    let text = comment.trim_start_matches('/').trim_start_matches('!');
    let marker = text.trim().strip_prefix('+')?;
    let (prefix, rest) = marker.split_once(':')?;
    let start = rest.len() - rest.trim_start().len();
    let end = rest[start..].find(|c: char| !c.is_alphanumeric());
    let (written, rest) = rest.split_at(end.map_or(rest.len(), |end| start + end));
    let name = &written[start..];
    let names = Name::ALL.map(Name::as_str);
    if PREFIXES.contains(&prefix) && names.contains(&written) {
        let arguments = rest.strip_prefix(':');
        return (name == marker_name.as_str())
            .then(|| arguments.ok_or_else(|| incomplete(prefix, marker_name)));
    }
    let meant = suggest::nearest(prefix.trim(), PREFIXES)?;
    let name = suggest::nearest(name, names).filter(|name| *name == marker_name.as_str())?;
    Some(Err(Diagnostic::new(format!(
        "unknown marker `+{prefix}:{written}`"
    ))
    .hint(format!("did you mean `+{meant}:{name}`?"))))
}

/// The arguments of a marker of operator-sdk that describes a kind or a field for consoles.
///
/// # Errors
/// The comment is nearly such a marker.
pub(super) fn csv_arguments(comment: &str) -> Option<Result<&str, Diagnostic>> {
    let text = comment.trim_start_matches('/').trim_start_matches('!');
    let marker = text.trim().strip_prefix('+')?;
    let prefixes = ["operator-sdk:csv", "rop:csv"];
    let rest = prefixes
        .iter()
        .find_map(|prefix| marker.strip_prefix(prefix))?;
    if !rest.is_empty() && !rest.starts_with(':') {
        return None;
    }
    let arguments = rest.strip_prefix(":customresourcedefinitions:");
    Some(arguments.ok_or_else(|| {
        Diagnostic::new(format!("unknown marker `+{marker}`")).hint(
            "write `+operator-sdk:csv:customresourcedefinitions:type=spec,displayName=\"Name\"`",
        )
    }))
}

fn incomplete(prefix: &str, name: Name) -> Diagnostic {
    let example = name.example();
    Diagnostic::new("the marker has no rule").hint(format!("write `+{prefix}:{example}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each name finds in a comment.
    fn found(comment: &str) -> [Option<Result<&str, Diagnostic>>; 2] {
        Name::ALL.map(|name| arguments(comment, name))
    }

    #[test]
    fn every_spelling_of_a_marker_is_one() {
        for comment in [
            "// +kubebuilder:rbac:groups=apps",
            "//+kubebuilder:rbac:groups=apps",
            "/// +kubebuilder:rbac:groups=apps",
            "//! +kubebuilder:rbac:groups=apps\r",
            "//   +rop:rbac:groups=apps  ",
        ] {
            let expected = [Some(Ok("groups=apps")), None];
            assert_eq!(found(comment), expected, "{comment}");
            let comment = comment.replace("rbac", "webhook");
            let expected = [None, Some(Ok("groups=apps"))];
            assert_eq!(found(&comment), expected, "{comment}");
        }
    }

    #[test]
    fn other_comments_and_markers_are_left_alone() {
        for comment in [
            "//",
            "// +",
            "// a +kubebuilder:rbac:groups=apps",
            "/// Write `// +kubebuilder:rbac:groups=apps`",
            "//! // +kubebuilder:rbac:groups=apps",
            "// kubebuilder:rbac:groups=apps",
            "// +kubebuilder:scaffold:imports",
            "// +kubebuilder:object:root=true",
            "// +k8s:deepcopy-gen=package",
            "// +rop:other",
            "// +operator-sdk:rbac:groups=apps",
            "// +optional",
        ] {
            assert_eq!(found(comment), [None, None], "{comment}");
        }
    }

    #[test]
    fn a_misspelt_marker_is_not_passed_over() {
        for (comment, unknown, meant) in [
            (
                "// +kubebuilder:rabc:groups=a",
                "+kubebuilder:rabc",
                "+kubebuilder:rbac",
            ),
            (
                "// +kubebuidler:rbac:groups=a",
                "+kubebuidler:rbac",
                "+kubebuilder:rbac",
            ),
            ("// +Rop:RBAC:groups=a", "+Rop:RBAC", "+rop:rbac"),
            ("// +rop:webhok:path=/a", "+rop:webhok", "+rop:webhook"),
            (
                "// + kubebuilder:rbac:groups=a",
                "+ kubebuilder:rbac",
                "+kubebuilder:rbac",
            ),
            (
                "// +kubebuilder : rbac:groups=a",
                "+kubebuilder : rbac",
                "+kubebuilder:rbac",
            ),
            (
                "// +kubebuilder:webhooks:path=/a",
                "+kubebuilder:webhooks",
                "+kubebuilder:webhook",
            ),
        ] {
            let found: Vec<_> = found(comment).into_iter().flatten().collect();
            let [Err(diagnostic)] = &found[..] else {
                panic!("{comment}: {found:?}");
            };
            assert_eq!(diagnostic.message, format!("unknown marker `{unknown}`"));
            assert_eq!(diagnostic.hint, Some(format!("did you mean `{meant}`?")));
        }
    }

    #[test]
    fn a_marker_needs_a_rule() {
        for comment in [
            "// +rop:rbac",
            "// +rop:rbac groups=apps",
            "// +rop:rbac=apps",
        ] {
            let found = arguments(comment, Name::Rbac);
            let diagnostic = found.and_then(Result::err).expect(comment);
            assert_eq!(diagnostic.message, "the marker has no rule");
        }
    }
}
