/// Whose a generated file is: the word in its template's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ownership {
    /// rop's: rewritten whenever its source changes.
    Owned,
    /// The user's, once it is written.
    Seeded,
    /// Both's: rop makes structural edits in it.
    Shared,
    /// rop's, in a folder that is digested as a whole. No template is of this ownership.
    Vendored,
    /// rop's memory of the project, which is written without a word. No template is of this ownership.
    Recorded,
}

impl Ownership {
    /// The ownership as templates name it.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "owned" => Some(Self::Owned),
            "seeded" => Some(Self::Seeded),
            "shared" => Some(Self::Shared),
            _ => None,
        }
    }

    /// The name of the ownership.
    pub fn name(self) -> &'static str {
        match self {
            Self::Owned => "owned",
            Self::Seeded => "seeded",
            Self::Shared => "shared",
            Self::Vendored => "vendored",
            Self::Recorded => "recorded",
        }
    }
}
