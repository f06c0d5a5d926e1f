use std::fmt;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// The license that generated sources are put under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum License {
    /// Apache License 2.0.
    #[value(alias = "apache-2.0", alias = "Apache-2.0")]
    Apache2,
    /// MIT License.
    #[value(alias = "MIT")]
    Mit,
    /// Copyright line without a license.
    Copyright,
    /// No license and no header in the sources.
    #[default]
    None,
}

impl License {
    /// The identifier that SPDX and cargo know.
    pub fn spdx(self) -> Option<&'static str> {
        match self {
            Self::Apache2 => Some("Apache-2.0"),
            Self::Mit => Some("MIT"),
            Self::Copyright | Self::None => None,
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
    pub(crate) fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }
}

impl fmt::Display for License {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Copyright => "copyright",
            _ => self.spdx().unwrap_or("none"),
        })
    }
}
