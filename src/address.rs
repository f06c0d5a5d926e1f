//! Where rop and its book are published: `repository` and `homepage` in Cargo.toml. Until these are set, rop prints
//! no link.

use std::fmt::{self, Display, Formatter};

/// The repository, or nothing.
pub(crate) const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");

/// The book, or nothing.
pub(crate) const BOOK: &str = env!("CARGO_PKG_HOMEPAGE");

/// A page of the book.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    title: &'static str,
    /// Its path in the book, without an extension.
    path: &'static str,
}

pub(crate) const FINALIZERS: Page = Page {
    title: "Finalizers",
    path: "concepts/finalizers",
};
pub(crate) const CLUSTER: Page = Page {
    title: "Deploy to a cluster",
    path: "deploy/cluster",
};
pub(crate) const COMPAT: Page = Page {
    title: "The commands of operator-sdk",
    path: "reference/compat",
};
pub(crate) const DEV: Page = Page {
    title: "The inner loop",
    path: "dev",
};
pub(crate) const EXTERNAL: Page = Page {
    title: "Kinds of other operators",
    path: "operator/external",
};
pub(crate) const METRICS: Page = Page {
    title: "Metrics and alerts",
    path: "operator/metrics",
};
pub(crate) const IMAGE: Page = Page {
    title: "Build the image",
    path: "deploy/image",
};
pub(crate) const OLM: Page = Page {
    title: "Run a bundle with OLM",
    path: "deploy/olm",
};
pub(crate) const OWNERSHIP: Page = Page {
    title: "Ownership",
    path: "concepts/ownership",
};
pub(crate) const SCORECARD: Page = Page {
    title: "The scorecard",
    path: "deploy/scorecard",
};
pub(crate) const SIMULATION: Page = Page {
    title: "Simulation",
    path: "operator/simulation",
};

pub(crate) const POLICIES: Page = Page {
    title: "Policies",
    path: "operator/policies",
};
pub(crate) const RUNTIME: Page = Page {
    title: "The runtime",
    path: "concepts/runtime",
};
pub(crate) const UPGRADE: Page = Page {
    title: "Update a project",
    path: "upgrade",
};
pub(crate) const VERSIONS: Page = Page {
    title: "Several versions of a kind",
    path: "operator/versions",
};
pub(crate) const WEBHOOKS: Page = Page {
    title: "Admission webhooks",
    path: "operator/webhooks",
};

impl Page {
    /// As a list of pages has it.
    pub(crate) fn entry(self) -> String {
        match self.address(BOOK) {
            None => self.title.to_owned(),
            Some(address) => format!("{}: {address}", self.title),
        }
    }

    /// As Markdown names it.
    pub(crate) fn markdown(self) -> String {
        self.markdown_in(BOOK)
    }

    fn markdown_in(self, book: &str) -> String {
        match self.address(book) {
            None => self.text_in(""),
            Some(address) => format!("the page [{}]({address}) of rop's book", self.title),
        }
    }

    fn text_in(self, book: &str) -> String {
        let name = format!("the page {} of rop's book", self.title);
        match self.address(book) {
            None => name,
            Some(address) => format!("{name} ({address})"),
        }
    }

    fn address(self, book: &str) -> Option<String> {
        match book.trim_end_matches('/') {
            "" => None,
            book => Some(format!("{book}/{}.html", self.path)),
        }
    }
}

impl Display for Page {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text_in(BOOK))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn a_page_has_a_link_once_the_book_has_an_address() {
        let name = "the page Ownership of rop's book";
        assert_eq!(OWNERSHIP.text_in(""), name);
        assert_eq!(OWNERSHIP.markdown_in(""), name);
        for book in ["https://rop.example.com", "https://rop.example.com/"] {
            let address = "https://rop.example.com/concepts/ownership.html";
            assert_eq!(OWNERSHIP.text_in(book), format!("{name} ({address})"));
            assert_eq!(
                OWNERSHIP.markdown_in(book),
                format!("the page [Ownership]({address}) of rop's book")
            );
        }
    }

    #[test]
    fn each_page_exists() {
        for page in [
            CLUSTER, COMPAT, DEV, EXTERNAL, FINALIZERS, IMAGE, METRICS, OWNERSHIP, POLICIES,
            RUNTIME, SCORECARD, SIMULATION, UPGRADE, VERSIONS, WEBHOOKS,
        ] {
            let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src");
            let text = std::fs::read_to_string(book.join(page.path).with_extension("md"));
            let title = format!("# {}\n", page.title);
            assert!(text.expect(page.path).starts_with(&title), "{}", page.path);
        }
    }
}
