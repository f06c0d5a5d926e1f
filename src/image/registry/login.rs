use reqwest::RequestBuilder;

/// Who the user is to a registry.
#[derive(Clone, Debug)]
pub(super) enum Login {
    Anonymous,
    Basic { user: String, password: String },
}

impl Login {
    /// Shows a request's server who asks.
    pub(super) fn apply(&self, request: RequestBuilder) -> RequestBuilder {
        match self {
            Self::Anonymous => request,
            Self::Basic { user, password } => request.basic_auth(user, Some(password)),
        }
    }
}
