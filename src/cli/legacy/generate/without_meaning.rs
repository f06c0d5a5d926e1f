use crate::error::{Code, Error, Result};

/// A flag of operator-sdk that cannot do here what it does there.
pub(super) struct WithoutMeaning {
    pub(super) flag: &'static str,
    pub(super) is_given: bool,
    /// What to do instead.
    pub(super) hint: &'static str,
}

/// Refuses such a flag.
pub(super) fn check(flags: &[WithoutMeaning]) -> Result<()> {
    match flags.iter().find(|flag| flag.is_given) {
        Some(WithoutMeaning { flag, hint, .. }) => {
            let message = format!("rop does not have the flag `{flag}` of operator-sdk");
            Err(Error::new(Code::Unsupported, message).hint(*hint))
        }
        None => Ok(()),
    }
}
