//! The codes of errors, by which a script tells them apart and a person looks them up.

mod failed;
#[cfg(test)]
mod tests;
mod usage;

use super::ErrorKind;
use super::table::codes;

use failed::failed;
use usage::usage;

/// Adds the codes of kinds that have few, and makes the enum.
macro_rules! all {
    ($($before:tt)*) => {
        codes! {
            $($before)*
            Drift {
                /// Generated files are out of date.
                /// Run the command in the hint and commit the result.
                Drift = "drift",
            }
            Bug {
                /// A bug in rop.
                /// Report it with the message and the command.
                Bug = "bug",
            }
        }
    };
}

/// Adds the codes of wrong command lines.
macro_rules! with_usage {
    ($($before:tt)*) => {
        usage! { all $($before)* }
    };
}

// Sorted by name, in each kind. `book/src/reference/errors.md` lists them, which a test compares.
failed! { with_usage }
