use super::Project;

impl Project {
    /// The Lease that the operators of this project elect their leader with: a hash of the
    /// project's name before its domain, so that two projects of a domain do not share one.
    pub fn lease_name(&self) -> String {
        format!("{:08x}.{}", fnv_1a(self.project_name.as_str()), self.domain)
    }
}

/// The 32-bit FNV-1a hash.
fn fnv_1a(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The values that the algorithm's authors publish.
    #[test]
    fn hashes_as_fnv_1a_does() {
        for (text, hash) in [
            ("", 0x811c_9dc5),
            ("a", 0xe40c_292c),
            ("foobar", 0xbf9c_f968),
        ] {
            assert_eq!(fnv_1a(text), hash, "{text}");
        }
    }

    #[test]
    fn belongs_to_name_and_domain() {
        let name = |project: &str| {
            let project = project.parse().expect("a name");
            Project::new(project, "example.com".parse().expect("a domain")).lease_name()
        };
        assert_eq!(name("app-operator"), "189232f3.example.com");
        assert_ne!(name("app-operator"), name("db-operator"));
    }
}
