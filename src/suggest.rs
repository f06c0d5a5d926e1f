//! What was probably meant.

/// The candidate that differs least from `word`, where it differs little: the same but for case,
/// or by one slip in a short word and two in a longer one.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let word = word.to_lowercase();
    let length = word.chars().count();
    candidates
        .into_iter()
        // Words that others wrote can be megabytes long, and those of other lengths differ by more.
        .filter(|candidate| length.abs_diff(candidate.chars().count()) <= slips(candidate))
        .map(|candidate| (distance(&word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= slips(candidate))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Whether `word` is rather a slip in writing `known` than a word of its own: also the first
/// letter must be right, or none be missing, so that `set` is not taken for `get`.
pub(crate) fn is_slip(word: &str, known: &str) -> bool {
    let letters = |word: &str| {
        let mut letters: Vec<char> = word.chars().collect();
        letters.sort_unstable();
        letters
    };
    let lower = word.to_lowercase();
    let alike = lower.chars().next() == known.chars().next() || letters(&lower) == letters(known);
    word != known && alike && distance(&lower, known) <= slips(known)
}

/// Whether `word` is the kind or the singular of the resource `plural`. Resources are lowercase
/// plurals, and those of Kubernetes itself are regular.
pub(crate) fn is_plural(plural: &str, word: &str) -> bool {
    let word = word.to_lowercase();
    let ies = word.strip_suffix('y').map(|stem| format!("{stem}ies"));
    let forms = [Some(format!("{word}s")), Some(format!("{word}es")), ies];
    plural == word || forms.iter().flatten().any(|form| form == plural)
}

fn distance(word: &str, other: &str) -> usize {
    strsim::osa_distance(word, &other.to_lowercase())
}

fn slips(candidate: &str) -> usize {
    match candidate.len() {
        ..=4 => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_near() {
        let verbs = ["get", "list", "watch", "patch"];
        for (word, meant) in [
            ("gett", Some("get")),
            ("gte", Some("get")),
            ("GET", Some("get")),
            ("wathc", Some("watch")),
            ("patcch", Some("patch")),
            ("read", None),
            ("gettt", None),
            ("", None),
        ] {
            assert_eq!(nearest(word, verbs), meant, "{word}");
        }
    }

    #[test]
    fn another_word_is_no_slip() {
        for (word, known, slip) in [
            ("gett", "get", true),
            ("egt", "get", true),
            ("Get", "get", true),
            ("udpate", "update", true),
            ("set", "get", false),
            ("match", "watch", false),
            ("get", "get", false),
            ("reload", "update", false),
        ] {
            assert_eq!(is_slip(word, known), slip, "{word}");
        }
    }

    #[test]
    fn kinds_and_singulars_have_a_plural() {
        for (word, plural, is) in [
            ("Pod", "pods", true),
            ("pod", "pods", true),
            ("PODS", "pods", true),
            ("Endpoint", "endpoints", true),
            ("Ingress", "ingresses", true),
            ("NetworkPolicy", "networkpolicies", true),
            ("networkpolic", "networkpolicies", false),
            ("po", "pods", false),
        ] {
            assert_eq!(is_plural(plural, word), is, "{word}");
        }
    }
}
