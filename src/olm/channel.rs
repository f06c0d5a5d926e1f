//! The names of channels.

use crate::dns::label_value;
use crate::error::{Code, Error, Result};

/// Checks the name of a new channel. Channels are listed with commas, and are in labels of images.
///
/// # Errors
/// It cannot be in a label.
pub(crate) fn check_channel(name: &str) -> Result<()> {
    label_value(name).map_err(|rule| {
        let message = format!("invalid channel `{name}`: {rule}");
        Error::new(Code::InvalidName, message).hint("use a name such as `stable` or `candidate-v1`")
    })
}
