//! The users of requests.

/// A user of the in-memory API server.
///
/// ```
/// use rop_runtime::testing::api_server::User;
///
/// let operator = User::service_account("shop", "operator");
/// assert_eq!(operator.name, "system:serviceaccount:shop:operator");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// The name, such as `system:serviceaccount:shop:operator`. Roles and bindings refer to it.
    pub name: String,
    /// The groups, which bindings can also refer to.
    pub groups: Vec<String>,
}

impl User {
    /// Returns an administrator with all permissions.
    ///
    /// ```
    /// use rop_runtime::testing::api_server::User;
    ///
    /// assert!(User::admin().groups.contains(&"system:masters".to_owned()));
    /// ```
    #[must_use]
    pub fn admin() -> Self {
        Self {
            name: "kubernetes-admin".to_owned(),
            groups: vec![
                "system:masters".to_owned(),
                "system:authenticated".to_owned(),
            ],
        }
    }

    /// Returns a service account, with the permissions of the roles on the server.
    ///
    /// ```
    /// use rop_runtime::testing::api_server::User;
    ///
    /// let operator = User::service_account("shop", "operator");
    /// assert!(operator.groups.contains(&"system:serviceaccounts:shop".to_owned()));
    /// ```
    #[must_use]
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self {
            name: format!("system:serviceaccount:{namespace}:{name}"),
            groups: vec![
                "system:serviceaccounts".to_owned(),
                format!("system:serviceaccounts:{namespace}"),
                "system:authenticated".to_owned(),
            ],
        }
    }

    /// Whether this is an administrator.
    pub(super) fn is_admin(&self) -> bool {
        self.groups.iter().any(|group| group == "system:masters")
    }
}
