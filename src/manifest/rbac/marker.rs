//! Tells a marker from any other comment.

use super::diagnostic::Diagnostic;
use super::suggest;

/// Those whose markers are read: kubebuilder's users know the first, the second is ours.
const PREFIXES: [&str; 2] = ["kubebuilder", "rop"];

/// The arguments of the marker in a line comment, `None` where it holds none.
///
/// As controller-gen has it, a marker is a line comment that starts with `+`; Rust's doc comments
/// count too.
///
/// # Errors
/// The comment is nearly a marker, and would be passed over in silence.
pub(super) fn arguments(comment: &str) -> Option<Result<&str, Diagnostic>> {
    let text = comment.trim_start_matches('/').trim_start_matches('!');
    let marker = text.trim().strip_prefix('+')?;
    let (prefix, rest) = marker.split_once(':')?;
    let end = rest
        .find(|c: char| !c.is_alphanumeric())
        .unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    if PREFIXES.contains(&prefix) && name == "rbac" {
        return Some(rest.strip_prefix(':').ok_or_else(|| incomplete(prefix)));
    }
    let prefix = suggest::nearest(prefix, PREFIXES)?;
    let name = suggest::nearest(name, ["rbac"])?;
    let marker = marker.split([':', '=', ' ']).take(2).collect::<Vec<_>>();
    Some(Err(Diagnostic::new(format!(
        "unknown marker `+{}`",
        marker.join(":")
    ))
    .hint(format!("did you mean `+{prefix}:{name}`?"))))
}

fn incomplete(prefix: &str) -> Diagnostic {
    Diagnostic::new("the marker has no rule").hint(format!(
        "write `+{prefix}:rbac:groups=apps,resources=deployments,verbs=get;list;watch`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_marker_is_one() {
        for comment in [
            "// +kubebuilder:rbac:groups=apps",
            "//+kubebuilder:rbac:groups=apps",
            "/// +kubebuilder:rbac:groups=apps",
            "//! +kubebuilder:rbac:groups=apps\r",
            "//   +rop:rbac:groups=apps  ",
        ] {
            assert_eq!(arguments(comment), Some(Ok("groups=apps")), "{comment}");
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
            assert_eq!(arguments(comment), None, "{comment}");
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
        ] {
            let diagnostic = arguments(comment).and_then(Result::err).expect(comment);
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
            let diagnostic = arguments(comment).and_then(Result::err).expect(comment);
            assert_eq!(diagnostic.message, "the marker has no rule");
        }
    }
}
