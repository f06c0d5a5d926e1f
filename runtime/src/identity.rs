//! The names of an operator in a cluster.

/// The names of an operator in a cluster. They are constants: if they change, the operator no
/// longer owns the fields and objects that it wrote under the old names.
///
/// # Examples
///
/// ```
/// use rop_runtime::Identity;
///
/// const IDENTITY: Identity = Identity::new("app-operator", "1.2.3").lease("1a2b3c4d.example.com");
///
/// assert_eq!(IDENTITY.name(), "app-operator");
/// assert_eq!(IDENTITY.version(), "1.2.3");
/// assert_eq!(IDENTITY.lease_name(), "1a2b3c4d.example.com");
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Identity {
    name: &'static str,
    version: &'static str,
    lease: &'static str,
}

impl Identity {
    /// Creates the identity of an operator with this name and version, and a Lease with the same
    /// name. Most programs pass `env!("CARGO_PKG_VERSION")` as the version.
    #[must_use]
    pub const fn new(name: &'static str, version: &'static str) -> Self {
        Self {
            name,
            version,
            lease: name,
        }
    }

    /// Sets the name of the Lease for leader election. Operators with the same Lease in the same
    /// namespace exclude each other, so include your own domain in the name.
    #[must_use]
    pub const fn lease(self, name: &'static str) -> Self {
        Self {
            lease: name,
            ..self
        }
    }

    /// Returns the name of the operator. It is used as
    ///
    /// - the field manager of every server-side apply,
    /// - the value of the label `app.kubernetes.io/managed-by`,
    /// - the reporting controller of events,
    /// - the user agent, which the audit log of the API server shows, with the version,
    /// - the label `name` of the metric `operator_build_info`,
    /// - the service name of OTLP traces, unless `OTEL_SERVICE_NAME` is set.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Returns the version of the operator, used in its user agent and in the metric
    /// `operator_build_info`.
    #[must_use]
    pub const fn version(self) -> &'static str {
        self.version
    }

    /// Returns the name of the Lease for leader election, unless `--leader-elect-resource-name` is
    /// set.
    #[must_use]
    pub const fn lease_name(self) -> &'static str {
        self.lease
    }
}

#[cfg(test)]
mod tests {
    use super::Identity;

    #[test]
    fn the_lease_has_the_name_of_the_operator_unless_it_is_set() {
        let identity = Identity::new("app-operator", "1.0.0");
        assert_eq!(identity.lease_name(), "app-operator");
        assert_eq!(identity.lease("other").lease_name(), "other");
        assert_eq!(identity.lease("other").name(), "app-operator");
    }
}
