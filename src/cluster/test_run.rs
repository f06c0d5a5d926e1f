use std::time::Duration;

use serde_json::Value;

use crate::error::{Error, Result};
use crate::kubectl::Kubectl;
use crate::objects::name;

use super::interrupt::Interrupt;
use super::object::words;
use super::reason::reasons;
use super::wait::{Look, Say, humane, until};

/// Pods that run once each, and whose logs are wanted. All objects of a run have the label `testrun`.
#[derive(Debug)]
pub(crate) struct TestRun<'a> {
    pub(crate) kubectl: &'a Kubectl,
    pub(crate) namespace: &'a str,
    /// The value of the label.
    pub(crate) name: &'a str,
    /// The container of a pod whose end is the end of the test.
    pub(crate) container: &'a str,
    pub(crate) timeout: Duration,
    pub(crate) interrupt: &'a Interrupt,
}

/// How a pod ended.
#[derive(Clone, Debug)]
pub(crate) enum End {
    /// By itself: the log of its container, and the reason if that failed.
    Exited { log: String, why: Option<String> },
    /// The test could not run.
    Failed { why: String, hint: String },
    /// Somebody wanted the command to end.
    Interrupted,
}

impl TestRun<'_> {
    /// Creates an object.
    ///
    /// # Errors
    /// The API server rejects it.
    pub(crate) fn create(&self, object: &Value) -> Result<()> {
        let arguments = ["create", "-f", "-", "-o", "name"];
        self.kubectl.text(&arguments, Some(&object.to_string()))?;
        Ok(())
    }

    /// Runs pods at the same time, and waits for all. The ends are in the order of the pods.
    pub(crate) fn run(&self, pods: &[Value], say: Say<'_>) -> Vec<End> {
        let mut ends: Vec<Option<End>> = vec![None; pods.len()];
        for (pod, end) in pods.iter().zip(&mut ends) {
            if self.interrupt.is_caught() {
                break;
            }
            *end = self.create(pod).err().map(|error| self.failed(&error));
        }
        let waited = until(self.timeout, say, || {
            if self.interrupt.is_caught() {
                return Ok(Look::Done(()));
            }
            let live = self.live()?;
            let mut waiting = Vec::new();
            for (pod, end) in pods.iter().zip(&mut ends).filter(|(_, end)| end.is_none()) {
                *end = self.end(pod, &live);
                if end.is_none() {
                    waiting.push(state(pod, &live));
                }
            }
            Ok(if waiting.is_empty() {
                Look::Done(())
            } else {
                Look::NotYet(waiting.join(", "))
            })
        });
        let left = match waited {
            Err(error) => self.failed(&error),
            Ok(_) if self.interrupt.is_caught() => End::Interrupted,
            Ok(waited) => End::Failed {
                why: format!(
                    "the test did not end within {}: {}",
                    humane(self.timeout),
                    waited.err().unwrap_or_default()
                ),
                hint: "fix what keeps the pod from ending, or wait longer with `--wait-time`"
                    .to_owned(),
            },
        };
        ends.into_iter()
            .map(|end| end.unwrap_or_else(|| left.clone()))
            .collect()
    }

    /// Deletes all objects of the run, as far as they exist.
    ///
    /// # Errors
    /// The API server does not allow it.
    pub(crate) fn delete(&self) -> Result<()> {
        let label = self.label();
        let arguments = [
            "delete",
            "pods,configmaps",
            "-n",
            self.namespace,
            "-l",
            &label,
            "--ignore-not-found",
            "--wait=false",
        ];
        self.kubectl.text(&arguments, None).map_err(|error| {
            error
                .context("failed to delete the pods and the ConfigMap of the tests")
                .hint(format!(
                    "delete them: `kubectl delete pods,configmaps -n {} -l {label}`",
                    self.namespace
                ))
        })?;
        Ok(())
    }

    fn label(&self) -> String {
        format!("testrun={}", self.name)
    }

    fn live(&self) -> Result<Vec<Value>> {
        let label = self.label();
        let arguments = [
            "get",
            "pods",
            "-n",
            self.namespace,
            "-l",
            &label,
            "-o",
            "json",
        ];
        self.kubectl.objects(&arguments, None)
    }

    fn failed(&self, error: &Error) -> End {
        if self.interrupt.is_cause() {
            return End::Interrupted;
        }
        let causes: Vec<_> = error.chain().collect();
        End::Failed {
            why: causes.join(": "),
            hint: error.hints().join("; "),
        }
    }

    /// How a pod has ended, if it has.
    fn end(&self, pod: &Value, live: &[Value]) -> Option<End> {
        let failed = |why: String, hint: &str| End::Failed {
            why,
            hint: hint.to_owned(),
        };
        let Some(pod) = find(pod, live) else {
            let why = "the pod was deleted before the test ended";
            return Some(failed(why.to_owned(), "run the test again"));
        };
        if let Some(ended) = terminated(pod, "containerStatuses", Some(self.container)) {
            return Some(match self.log(pod, self.container) {
                Ok(log) => End::Exited {
                    log,
                    why: failure(ended),
                },
                Err(error) => self.failed(&error.context("failed to read the log of the test")),
            });
        }
        let before = terminated(pod, "initContainerStatuses", None).and_then(failure);
        if let Some(why) = before {
            let why = format!("the bundle was not unpacked: {why}");
            return Some(failed(why, "check the image with `--untar-image`"));
        }
        if pod["status"]["phase"] == "Failed" {
            let reason = pod["status"].as_object().map(words).unwrap_or_default();
            let why = format!("the pod failed: {reason}");
            return Some(failed(
                why,
                "see `kubectl get events`, and run the test again",
            ));
        }
        None
    }

    fn log(&self, pod: &Value, container: &str) -> Result<String> {
        let arguments = ["logs", name(pod), "-n", self.namespace, "-c", container];
        self.kubectl.text(&arguments, None)
    }
}

fn find<'a>(pod: &Value, live: &'a [Value]) -> Option<&'a Value> {
    live.iter().find(|live| name(live) == name(pod))
}

/// The end of a container, or of the first that has ended.
fn terminated<'a>(pod: &'a Value, list: &str, container: Option<&str>) -> Option<&'a Value> {
    let mut statuses = pod["status"][list].as_array()?.iter();
    let is_wanted = |status: &&Value| container.is_none_or(|name| status["name"] == name);
    let ended =
        statuses.find(|status| is_wanted(status) && status["state"]["terminated"].is_object())?;
    Some(&ended["state"]["terminated"])
}

/// Why a container failed, if it did.
fn failure(terminated: &Value) -> Option<String> {
    let code = terminated["exitCode"].as_i64().filter(|code| *code != 0)?;
    let why = terminated.as_object().map(words).unwrap_or_default();
    Some(match &*why {
        "" => format!("the container ended with exit code {code}"),
        why => format!("the container ended with exit code {code}: {why}"),
    })
}

/// What a pod waits for.
fn state(pod: &Value, live: &[Value]) -> String {
    let reasons = find(pod, live).map(reasons).unwrap_or_default();
    let reason = reasons.first().map(|reason| format!(" ({})", reason.text));
    format!(
        "until pod {} has ended{}",
        name(pod),
        reason.unwrap_or_default()
    )
}
