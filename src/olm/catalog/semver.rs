//! Channels by semantic versions, as the semver template of opm makes them.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use semver::Version;

/// The tiers, the least stable first.
pub(super) const TIERS: [&str; 3] = ["candidate", "fast", "stable"];

/// Which channels a tier has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stream {
    Major,
    Minor,
}

/// An entry of a generated channel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) replaces: String,
    pub(super) skips: Vec<String>,
}

/// A channel that is generated: its tier, whether for a major or a minor version, and that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Name {
    pub(super) tier: usize,
    pub(super) stream: Stream,
    major: u64,
    minor: u64,
}

impl Name {
    /// Reads `stable-v1` or `stable-v1.2`.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let (tier, version) = name.split_once("-v")?;
        let tier = TIERS.iter().position(|known| *known == tier)?;
        let (stream, major, minor) = match version.split_once('.') {
            Some((major, minor)) => (Stream::Minor, major, minor),
            None => (Stream::Major, version, "0"),
        };
        let (major, minor) = (major.parse().ok()?, minor.parse().ok()?);
        let name_again = Self {
            tier,
            stream,
            major,
            minor,
        };
        (name_again.to_string() == name).then_some(name_again)
    }

    /// The channel of a tier that a version is in.
    pub(super) fn of(tier: usize, stream: Stream, version: &Version) -> Self {
        Self {
            tier,
            stream,
            major: version.major,
            minor: match stream {
                Stream::Major => 0,
                Stream::Minor => version.minor,
            },
        }
    }

    /// Which of two is the better default: the more stable, the newer, the preferred one.
    pub(super) fn preferred(&self, other: &Self, preference: Stream) -> Ordering {
        let rank = |name: &Self| (name.tier, name.major, name.stream == preference, name.minor);
        rank(self).cmp(&rank(other))
    }
}

impl std::fmt::Display for Name {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}-v{}", TIERS[self.tier], self.major)?;
        match self.stream {
            Stream::Major => Ok(()),
            Stream::Minor => write!(formatter, ".{}", self.minor),
        }
    }
}

/// The entries of all channels of a tier and a stream, for these bundles.
///
/// # Errors
/// Two versions differ in their build metadata alone, which has no order: their bundles.
pub(super) fn channels(
    tier: usize,
    stream: Stream,
    bundles: &BTreeMap<String, Version>,
) -> Result<BTreeMap<String, Vec<Entry>>, (String, String)> {
    let mut sorted: Vec<_> = bundles.iter().collect();
    sorted.sort_by(|(_, one), (_, other)| one.cmp_precedence(other));
    for pair in sorted.windows(2) {
        if pair[0].1.cmp_precedence(pair[1].1) == Ordering::Equal {
            return Err((pair[0].0.clone(), pair[1].0.clone()));
        }
    }
    let mut channels = BTreeMap::<_, Vec<Entry>>::new();
    let mut before: Option<&Version> = None;
    // The head of the minor stream before, and all of the major version before this one.
    let (mut replaces, mut skips) = (String::new(), BTreeSet::new());
    for (index, (name, version)) in sorted.iter().enumerate() {
        let stream_of = |version: &Version| (version.major, version.minor);
        match before {
            Some(last) if last.major != version.major => {
                (replaces, skips) = (String::new(), BTreeSet::new());
            }
            Some(last) if stream_of(last) != stream_of(version) => {
                replaces.clone_from(sorted[index - 1].0);
            }
            _ => {}
        }
        let next = sorted.get(index + 1);
        let is_head = next.is_none_or(|(_, next)| stream_of(next) != stream_of(version));
        let mut entry = Entry {
            name: (*name).clone(),
            ..Entry::default()
        };
        if is_head {
            let others = skips.iter().filter(|skip| **skip != replaces);
            entry.skips = others.cloned().collect();
            entry.replaces.clone_from(&replaces);
        }
        let channel = Name::of(tier, stream, version).to_string();
        channels.entry(channel).or_default().push(entry);
        skips.insert((*name).clone());
        before = Some(version);
    }
    Ok(channels)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Entries such as `0.1.1 > 0.1.0 - 0.0.9`: it replaces the one and skips the others.
    fn shown(stream: Stream, versions: &str) -> Vec<String> {
        let bundles = versions.split(' ').map(|version| {
            let parsed = Version::parse(version).expect("a version");
            (version.to_owned(), parsed)
        });
        let channels = channels(2, stream, &bundles.collect()).expect("channels");
        let line = |entry: &Entry| {
            let mut words = vec![entry.name.clone()];
            if !entry.replaces.is_empty() {
                words.push(format!("> {}", entry.replaces));
            }
            if !entry.skips.is_empty() {
                words.push(format!("- {}", entry.skips.join(" ")));
            }
            words.join(" ")
        };
        let channels = channels.iter().map(|(name, entries)| {
            let entries: Vec<_> = entries.iter().map(line).collect();
            format!("{name}: {}", entries.join(", "))
        });
        channels.collect()
    }

    /// The versions and the edges are those of `TestLinkChannels` in operator-registry v1.73.0.
    #[test]
    fn channels_are_those_of_opm() {
        let versions = "0.1.0 0.1.1 1.1.0 1.2.1 1.3.1 2.1.0 2.1.1 2.3.1 2.3.2";
        let major = shown(Stream::Major, versions);
        assert_eq!(
            major,
            [
                "stable-v0: 0.1.0, 0.1.1 - 0.1.0",
                "stable-v1: 1.1.0, 1.2.1 > 1.1.0, 1.3.1 > 1.2.1 - 1.1.0",
                "stable-v2: 2.1.0, 2.1.1 - 2.1.0, 2.3.1, 2.3.2 > 2.1.1 - 2.1.0 2.3.1",
            ]
        );
        let minor = shown(
            Stream::Minor,
            "1.1.0 1.2.1 1.3.1-alpha 1.3.1-beta 1.3.1 1.4.1-beta1 1.4.1",
        );
        assert_eq!(
            minor,
            [
                "stable-v1.1: 1.1.0",
                "stable-v1.2: 1.2.1 > 1.1.0",
                "stable-v1.3: 1.3.1-alpha, 1.3.1-beta, 1.3.1 > 1.2.1 - 1.1.0 1.3.1-alpha 1.3.1-beta",
                "stable-v1.4: 1.4.1-beta1, 1.4.1 > 1.3.1 - 1.1.0 1.2.1 1.3.1-alpha 1.3.1-beta 1.4.1-beta1",
            ]
        );
        assert_eq!(shown(Stream::Minor, "0.1.0"), ["stable-v0.1: 0.1.0"]);
    }

    #[test]
    fn versions_without_an_order() {
        let versions = ["1.0.0+a", "1.0.0+b"].map(|version| {
            let parsed = Version::parse(version).expect("a version");
            (version.to_owned(), parsed)
        });
        assert!(channels(0, Stream::Major, &versions.into()).is_err());
    }

    #[test]
    fn the_best_default() {
        let names = [
            "candidate-v3",
            "candidate-v3.1",
            "fast-v1",
            "stable-v1",
            "stable-v1.0",
            "stable-v1.2",
            "stable-v2.0",
        ];
        let parsed = names.map(|name| Name::parse(name).expect("a name"));
        let best = |preference| {
            let best = parsed.iter().max_by(|a, b| a.preferred(b, preference));
            best.map(ToString::to_string)
        };
        assert_eq!(best(Stream::Minor).as_deref(), Some("stable-v2.0"));
        for bad in [
            "stable",
            "stable-v",
            "stable-v01",
            "stable-v1.2.3",
            "beta-v1",
            "stable-v1.x",
        ] {
            assert_eq!(Name::parse(bad), None, "{bad}");
        }
    }
}
