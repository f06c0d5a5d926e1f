use std::time::Duration;

use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::{self, ObjectId, Objects};

use super::crd;
use super::object;
use super::wait::{Look, Say, humane, until};

/// Waits until the API server serves the kinds.
///
/// # Errors
/// It does not in time, or another CRD has one of their names.
pub fn wait_until_served(
    kubectl: &Kubectl,
    crds: &Objects,
    timeout: Duration,
    say: Say<'_>,
) -> Result<()> {
    let served = until(timeout, say, || {
        let live = crd::live(kubectl, crds)?;
        let waiting: Vec<String> = crds
            .iter()
            .map(ObjectId::of)
            .filter(|id| {
                !objects::find(&live, id).is_some_and(|crd| object::is_true(crd, "Established"))
            })
            .map(|id| id.name)
            .collect();
        for crd in &live {
            refuse_taken_names(crd)?;
        }
        Ok(if waiting.is_empty() {
            Look::Done(())
        } else {
            Look::NotYet(format!("until {} is served", waiting.join(", ")))
        })
    })?;
    served.map_err(|state| {
        Error::new(
            Code::CrdNotReady,
            format!("timed out after {} waiting {state}", humane(timeout)),
        )
        .hint("see `kubectl describe crd` for the reason, or wait longer with `--timeout`")
    })
}

fn refuse_taken_names(crd: &Value) -> Result<()> {
    let name = objects::name(crd);
    match object::condition(crd, "NamesAccepted") {
        Some(condition) if condition["status"] == "False" => {
            Err(Error::new(Code::CrdNameTaken, object::words(condition))
                .context(format!("another CRD already uses a name of `{name}`"))
                .hint(
                    "remove that CRD, or choose another plural or short name with `rop create api`",
                ))
        }
        _ => Ok(()),
    }
}
