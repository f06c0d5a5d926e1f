//! The target of a request, from its path.

/// Decodes percent-encoding.
pub(super) fn decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let next = match byte {
            b'+' => b' ',
            b'%' => {
                let hex = [rest.next(), rest.next()].map(|digit| digit.unwrap_or(b'0'));
                let hex = std::str::from_utf8(&hex).unwrap_or("3f");
                u8::from_str_radix(hex, 16).unwrap_or(b'?')
            }
            byte => byte,
        };
        bytes.push(next);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The target of a path: group, version, namespace, resource, name and subresource.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) group: String,
    pub(crate) version: String,
    pub(crate) namespace: String,
    pub(crate) plural: String,
    pub(crate) name: String,
    pub(crate) subresource: String,
}

impl Target {
    pub(crate) fn api_version(&self) -> String {
        api_version(&self.group, &self.version)
    }

    /// Parses a path. `None` if it is not the path of a resource.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let parts = path
            .split('/')
            .filter(|part| !part.is_empty())
            .map(decode)
            .collect::<Vec<_>>();
        let (group, version, rest) = match &*parts {
            [api, version, rest @ ..] if api == "api" => ("", version, rest),
            [apis, group, version, rest @ ..] if apis == "apis" => (&**group, version, rest),
            _ => return None,
        };
        let is_below = |part: &str| !matches!(part, "status" | "finalize");
        let (namespace, rest) = match rest {
            [namespaces, namespace, rest @ ..]
                if namespaces == "namespaces"
                    && rest.first().is_some_and(|part| is_below(part)) =>
            {
                (&**namespace, rest)
            }
            rest => ("", rest),
        };
        let mut rest = rest.iter();
        let mut next = || rest.next().cloned().unwrap_or_default();
        let (plural, name, subresource) = (next(), next(), next());
        (!plural.is_empty()).then(|| Self {
            group: group.to_owned(),
            version: version.clone(),
            namespace: namespace.to_owned(),
            plural,
            name,
            subresource,
        })
    }
}

pub(super) fn api_version(group: &str, version: &str) -> String {
    match group {
        "" => version.to_owned(),
        group => format!("{group}/{version}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_a_resource() {
        let parse = |path| {
            let target = Target::parse(path).expect("a target");
            [
                target.group,
                target.version,
                target.namespace,
                target.plural,
                target.name,
                target.subresource,
            ]
            .join(" ")
        };
        assert_eq!(parse("/api/v1/namespaces/shop"), " v1  namespaces shop ");
        assert_eq!(
            parse("/api/v1/namespaces/shop/status"),
            " v1  namespaces shop status"
        );
        assert_eq!(parse("/api/v1/namespaces/shop/pods"), " v1 shop pods  ");
        assert_eq!(
            parse("/apis/apps/v1/namespaces/shop/deployments/web/scale"),
            "apps v1 shop deployments web scale"
        );
        assert_eq!(Target::parse("/version"), None);
        assert_eq!(decode("a%3Db+c"), "a=b c");
    }
}
