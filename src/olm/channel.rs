//! The names of channels.

use crate::dns::label_value;
use crate::error::{Code, Error, Result};

/// Checks the name of a new channel. Channels are listed with commas, and are in labels of images. `flag` names others.
///
/// # Errors
/// It cannot be in a label.
pub(crate) fn check_channel(name: &str, flag: &str) -> Result<()> {
    label_value(name).map_err(|rule| {
        let message = format!("invalid channel `{name}`: {rule}");
        Error::new(Code::InvalidName, message).hint(format!("pass another, such as `{flag}`"))
    })
}
