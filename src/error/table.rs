//! The form in which the codes of errors are written down.

/// Makes the enum of the codes. Each has its name, and two lines of documentation: what happened, and what to do.
macro_rules! codes {
    ($($kind:ident {
        $(#[doc = $meaning:literal] #[doc = $remedy:literal] $code:ident = $name:literal,)*
    })*) => {
        /// The cause of an [`Error`](super::Error). Names are stable: one that was released keeps its meaning.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Code {
            $($(#[doc = $meaning] #[doc = $remedy] $code,)*)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$($(Self::$code,)*)*];

            /// The name, as messages and JSON have it.
            pub fn name(self) -> &'static str {
                match self {
                    $($(Self::$code => $name,)*)*
                }
            }

            /// What an error with this code means to the caller of the process.
            pub fn kind(self) -> ErrorKind {
                match self {
                    $($(Self::$code => ErrorKind::$kind,)*)*
                }
            }

            /// What happened, in a sentence.
            pub fn meaning(self) -> &'static str {
                match self {
                    $($(Self::$code => $meaning.trim_ascii(),)*)*
                }
            }

            /// What to do about it, in a sentence or two.
            pub fn remedy(self) -> &'static str {
                match self {
                    $($(Self::$code => $remedy.trim_ascii(),)*)*
                }
            }
        }
    };
}

pub(super) use codes;
