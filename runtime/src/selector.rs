//! Selectors of labels.

/// What a label must be.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Requirement {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    DoesNotExist(String),
}

impl Requirement {
    /// Whether it holds for labels with these values.
    pub(crate) fn holds<'a>(&self, value: impl Fn(&str) -> Option<&'a str>) -> bool {
        let is_one = |key: &str, values: &[String]| {
            value(key).is_some_and(|value| values.iter().any(|known| known == value))
        };
        match self {
            Self::In(key, values) => is_one(key, values),
            Self::NotIn(key, values) => !is_one(key, values),
            Self::Exists(key) => value(key).is_some(),
            Self::DoesNotExist(key) => value(key).is_none(),
        }
    }
}

/// Reads a selector of labels: `a=b,c!=d,e in (f,g),h,!i`.
pub(crate) fn parse_labels(text: &str) -> Result<Vec<Requirement>, String> {
    let mut rest = text.trim();
    let mut requirements = Vec::new();
    while !rest.is_empty() {
        let end = term_end(rest);
        let (term, tail) = rest.split_at(end);
        requirements.push(requirement(term.trim()).ok_or_else(|| {
            format!(
                "unable to parse requirement: found '{}', expected: identifier",
                term.trim()
            )
        })?);
        rest = tail.strip_prefix(',').unwrap_or(tail).trim_start();
    }
    Ok(requirements)
}

/// Where a term ends: at a comma that is in no parentheses.
fn term_end(text: &str) -> usize {
    let mut is_inside = false;
    let end = text.char_indices().find(|(_, c)| {
        is_inside = *c == '(' || (is_inside && *c != ')');
        *c == ',' && !is_inside
    });
    end.map_or(text.len(), |(index, _)| index)
}

fn requirement(term: &str) -> Option<Requirement> {
    let is_key = |key: &str| {
        !key.is_empty() && !key.contains(|c: char| c.is_whitespace() || "=!()<>".contains(c))
    };
    let keyed = |key: &str| is_key(key).then(|| key.to_owned());
    if let Some(key) = term.strip_prefix('!') {
        return Some(Requirement::DoesNotExist(keyed(key.trim())?));
    }
    if let Some(list) = term.strip_suffix(')') {
        let (head, values) = list.split_once('(')?;
        let values = values
            .split(',')
            .map(|value| value.trim().to_owned())
            .collect();
        let head = head.trim();
        return match head.strip_suffix(" notin") {
            Some(key) => Some(Requirement::NotIn(keyed(key.trim())?, values)),
            None => Some(Requirement::In(
                keyed(head.strip_suffix(" in")?.trim())?,
                values,
            )),
        };
    }
    if let Some((key, value)) = term.split_once("!=") {
        return Some(Requirement::NotIn(
            keyed(key.trim())?,
            vec![value.trim().to_owned()],
        ));
    }
    if let Some((key, value)) = term.split_once('=') {
        let value = value.strip_prefix('=').unwrap_or(value).trim();
        return Some(Requirement::In(keyed(key.trim())?, vec![value.to_owned()]));
    }
    Some(Requirement::Exists(keyed(term)?))
}
