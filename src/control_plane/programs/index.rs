//! The list of archives that sigs.k8s.io/controller-tools publishes.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Url;
use semver::Version;
use serde::Deserialize;

use crate::error::{Code, Context, Error, Result};
use crate::http::download;
use crate::yaml;

/// How long the list may be. It has a line for each archive that there ever was: 0.1 MB so far.
const MOST: u64 = 4 * 1024 * 1024;

/// The list: by release, then by the name of the file.
#[derive(Debug, Deserialize)]
pub(super) struct Index {
    releases: BTreeMap<String, BTreeMap<String, Entry>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    /// SHA-512, in hexadecimal.
    hash: String,
    self_link: String,
}

/// An archive of the list.
#[derive(Debug, PartialEq)]
pub(super) struct Archive {
    pub(super) version: Version,
    pub(super) url: String,
    /// SHA-512, in hexadecimal.
    pub(super) sum: String,
}

impl Index {
    pub(super) fn read(url: &str, patience: Duration) -> Result<Self> {
        let text = download::text(url, MOST, patience)?;
        yaml::from_str(&text).context(Code::DownloadCorrupt, || {
            format!("`{url}` is not a list of archives")
        })
    }

    /// The archive of a release, or of the newest of a minor one.
    pub(super) fn newest(&self, release: &str, platform: &str) -> Option<Archive> {
        let archives = self.releases.iter().filter_map(|(name, files)| {
            let version = Version::parse(name.strip_prefix('v')?).ok()?;
            let file = format!("envtest-{name}-{platform}.tar.gz");
            let entry = files.get(&file).filter(|_| is_of(&version, release))?;
            Some(Archive {
                version,
                url: entry.self_link.clone(),
                sum: entry.hash.to_lowercase(),
            })
        });
        archives.max_by(|a, b| a.version.cmp(&b.version))
    }
}

impl Archive {
    /// Refuses an archive without TLS in a list that came with it.
    pub(super) fn check(&self, list: &str) -> Result<()> {
        let is_https = |url: &str| Url::parse(url).is_ok_and(|url| url.scheme() == "https");
        if is_https(list) && !is_https(&self.url) {
            let url = &self.url;
            let error = format!("`{list}` points from https to `{url}`, which is not allowed");
            return Err(Error::new(Code::DownloadFailed, error));
        }
        Ok(())
    }
}

/// Whether a version is a release, such as `1.36.2`, or a finished one of a minor release, such as
/// `1.36`.
pub(super) fn is_of(version: &Version, release: &str) -> bool {
    let minor = format!("{}.{}", version.major, version.minor);
    version.to_string() == release || (version.pre.is_empty() && minor == release)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn https_is_not_left() {
        let archive = |url: &str| Archive {
            version: Version::new(1, 36, 2),
            url: url.to_owned(),
            sum: String::new(),
        };
        let [secure, plain] = ["https://example.com/a", "http://example.com/a"].map(archive);
        assert!(secure.check("https://example.com/list").is_ok());
        assert!(plain.check("https://example.com/list").is_err());
        assert!(plain.check("http://example.com/list").is_ok());
        for list in ["HTTPS://example.com/list", " https://example.com/list"] {
            assert!(plain.check(list).is_err(), "{list}");
        }
        assert!(
            archive("HTTPS://example.com/a")
                .check("https://example.com/list")
                .is_ok()
        );
        assert!(archive("a").check("https://example.com/list").is_err());
    }

    #[test]
    fn the_newest_of_a_minor_release_for_a_platform() {
        let index: Index = yaml::from_str(
            "releases:
  v1.36.2: {envtest-v1.36.2-linux-amd64.tar.gz: {hash: AB, selfLink: two}}
  v1.36.10: {envtest-v1.36.10-linux-amd64.tar.gz: {hash: CD, selfLink: ten}}
  v1.36.11: {envtest-v1.36.11-darwin-arm64.tar.gz: {hash: EF, selfLink: other}}
  v1.36.12-rc.0: {envtest-v1.36.12-rc.0-linux-amd64.tar.gz: {hash: '01', selfLink: early}}
  v1.37.0: {envtest-v1.37.0-linux-amd64.tar.gz: {hash: '23', selfLink: later}}
",
        )
        .expect("an index");
        let newest = index.newest("1.36", "linux-amd64").expect("an archive");
        let expected = Archive {
            version: Version::new(1, 36, 10),
            url: "ten".to_owned(),
            sum: "cd".to_owned(),
        };
        assert_eq!(newest, expected);
        assert_eq!(index.newest("1.3", "linux-amd64"), None);
        let exact = index.newest("1.36.2", "linux-amd64").expect("an archive");
        assert_eq!(exact.url, "two");
    }
}
