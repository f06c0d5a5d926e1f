//! Files that were parsed, so that several renderings of a project parse each text once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use super::kustomization::Kustomization;
use super::resource::Resource;

/// Files by their texts. One that cannot be rendered is not kept: each rendering reports it.
#[derive(Default)]
pub(crate) struct Parsed {
    pub(super) kustomizations: Texts<Rc<Kustomization>>,
    pub(super) resources: Texts<Rc<[Resource]>>,
}

/// The result of parsing, by text.
pub(super) struct Texts<T>(RefCell<HashMap<String, T>>);

impl<T> Default for Texts<T> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<T: Clone> Texts<T> {
    /// What `parse` returns for a text, called once.
    pub(super) fn get_or_parse(
        &self,
        text: String,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        if let Some(parsed) = self.0.borrow().get(&text) {
            return Some(parsed.clone());
        }
        let parsed = parse(&text)?;
        self.0.borrow_mut().insert(text, parsed.clone());
        Some(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parsed_once() {
        let texts = Texts::default();
        let count = RefCell::new(0);
        let parse = |text: &str| {
            *count.borrow_mut() += 1;
            text.parse::<u8>().ok()
        };
        for (text, parsed, calls) in [
            ("1", Some(1), 1),
            ("1", Some(1), 1),
            ("a", None, 2),
            ("a", None, 3),
        ] {
            assert_eq!(texts.get_or_parse(text.to_owned(), parse), parsed);
            assert_eq!(*count.borrow(), calls, "{text}");
        }
    }
}
