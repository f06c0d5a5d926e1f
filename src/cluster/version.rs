use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::versions::VERSIONS;

/// Refuses an API server that is older than generated operators are made for.
///
/// `answer` is what `kubectl version -o json` prints. One without a version passes: some gateways
/// hide it.
///
/// # Errors
/// It is too old.
pub(super) fn check(answer: &Value) -> Result<()> {
    let server = &answer["serverVersion"];
    let oldest = VERSIONS.oldest_kubernetes;
    let (Some(found), Some(required)) = (minor(server), parse(oldest)) else {
        return Ok(());
    };
    if found >= required {
        return Ok(());
    }
    let version = server["gitVersion"].as_str().unwrap_or_default();
    Err(Error::new(
        Code::ClusterTooOld,
        format!(
            "the cluster runs Kubernetes {version}, but generated operators need {oldest} or newer"
        ),
    )
    .hint(
        "upgrade the cluster or choose another with `--context`; `kubectl apply --server-side -k \
        config/default` skips this check",
    ))
}

/// Major and minor; providers put `+` behind the minor.
fn minor(server: &Value) -> Option<(u32, u32)> {
    let number = |key: &str| server[key].as_str()?.trim_end_matches('+').parse().ok();
    Some((number("major")?, number("minor")?))
}

fn parse(version: &str) -> Option<(u32, u32)> {
    let (major, minor) = version.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn server(major: &str, minor: &str) -> Value {
        let version = format!("v{major}.{minor}.0");
        json!({"serverVersion": {"major": major, "minor": minor, "gitVersion": version}})
    }

    #[test]
    fn the_oldest_is_a_version() {
        let oldest = parse(VERSIONS.oldest_kubernetes).expect("a version");
        assert!(oldest <= parse(VERSIONS.kubernetes).expect("a version"));
    }

    #[test]
    fn an_old_server_is_refused() {
        let (major, minor) = parse(VERSIONS.oldest_kubernetes).expect("a version");
        for minor in [minor, minor + 1, minor + 70] {
            assert!(check(&server(&major.to_string(), &format!("{minor}+"))).is_ok());
        }
        assert!(check(&server("2", "0")).is_ok());
        assert!(check(&json!({"clientVersion": {}})).is_ok());
        let error = check(&server("1", &format!("{}+", minor - 1))).expect_err("too old");
        assert!(
            error
                .chain()
                .next()
                .is_some_and(|m| m.contains("runs Kubernetes v1."))
        );
    }
}
