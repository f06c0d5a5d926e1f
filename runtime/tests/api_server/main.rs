//! The in-memory API server next to a real one: both get the same random requests, and all responses and watches are
//! compared. Odd seeds have webhooks, whose reviews are compared, too.
//!
//! Also tests the conversion between the versions of a kind by a real one.
//!
//! `API_SERVER_SEED` runs one seed, `API_SERVER_SEEDS` a number of seeds, and `API_SERVER_STEPS` sets the number of
//! requests of each. `API_SERVER_GO_ON` prints all differences instead of the first one.

#![cfg(feature = "testing")]

mod contents;
#[cfg(feature = "webhook")]
mod converted;
mod fixed;
mod hooks;
mod older;
mod plane;
mod steps;
mod twin;

use std::env;

use futures::future::join_all;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use rop_runtime::testing::api_server::ApiServer;
use serde_json::{Value, json};
use tokio::time::{Duration, sleep};

use hooks::Asked;
use plane::Plane;
use steps::{KINDS, Steps};
use twin::{Step, Twin};

const SEEDS: u64 = 8;
const STEPS: usize = 270;

fn from_env(name: &str) -> Option<u64> {
    env::var(name).ok()?.parse().ok()
}

#[tokio::test]
async fn it_answers_as_a_real_one_does() {
    is_as_a_real_one(false).await;
}

#[tokio::test]
async fn it_asks_webhooks_as_a_real_one_does() {
    is_as_a_real_one(true).await;
}

async fn is_as_a_real_one(has_webhooks: bool) {
    let Some(plane) = Plane::start().await else {
        return;
    };
    let gadget: Value = serde_json::from_str(include_str!("gadget.json")).expect("a CRD");
    let crd: CustomResourceDefinition = serde_json::from_value(gadget.clone()).expect("a CRD");
    install(&plane, &gadget).await;
    let seeds = match from_env("API_SERVER_SEED") {
        Some(seed) => seed..seed + 1,
        None => 0..from_env("API_SERVER_SEEDS").unwrap_or(SEEDS),
    };
    let seeds = seeds.filter(|seed| (seed % 2 == 1) == has_webhooks);
    let steps = from_env("API_SERVER_STEPS").and_then(|steps| usize::try_from(steps).ok());
    let (of_real, address, certificate) = hooks::serve().await;
    let mut differences = Vec::new();
    for seed in seeds {
        let server = ApiServer::new();
        server.add_crd(&crd);
        let asked = [of_real.clone(), hooks::answer_in_memory(&server)];
        let real = Twin::new(plane.client.clone()).of(plane.minor);
        let twins = (real, Twin::new(server.client()));
        let namespace = json!({"metadata": {"name": "shop"}});
        for client in [plane.client.clone(), server.client()] {
            Twin::new(client)
                .send(&post("/api/v1/namespaces", namespace.clone()))
                .await;
        }
        let configurations = if has_webhooks {
            hooks::configurations(&address, &certificate)
        } else {
            Vec::new()
        };
        for (path, configuration) in &configurations {
            for client in [plane.client.clone(), server.client()] {
                let step = post(path, configuration.clone());
                assert_eq!(Twin::new(client).send(&step).await.code, 201, "{path}");
            }
        }
        if !configurations.is_empty() {
            are_asked(&plane, &of_real).await;
        }
        of_real.take();
        let found = run(seed, steps.unwrap_or(STEPS), twins, &asked).await;
        for (path, _) in &configurations {
            let step = Step {
                method: "DELETE",
                ..post(&format!("{path}/hooks"), Value::Null)
            };
            Twin::new(plane.client.clone()).send(&step).await;
        }
        if !configurations.is_empty() {
            sleep(Duration::from_secs(2)).await;
        }
        clean(&plane).await;
        if env::var_os("API_SERVER_GO_ON").is_none() {
            assert!(found.is_empty(), "{}", found.join("\n"));
        }
        differences.extend(found);
    }
    if !has_webhooks {
        fixed::check(&plane).await;
    }
    assert!(
        differences.is_empty(),
        "{} differences\n{}",
        differences.len(),
        differences.join("\n")
    );
}

async fn run(
    seed: u64,
    count: usize,
    (mut real, mut ours): (Twin, Twin),
    [of_real, of_ours]: &[Asked; 2],
) -> Vec<String> {
    let mut steps = Steps::new(seed);
    let mut differences = Vec::new();
    let mut starts = Vec::new();
    for (collection, ..) in KINDS {
        starts.push((
            real.revision(collection).await,
            ours.revision(collection).await,
        ));
    }
    for number in 0..count {
        let mut step = steps.next();
        real.leave_out(&mut step);
        if env::var_os("API_SERVER_TRACE").is_some() {
            eprintln!("{number}: {}", shown(&step));
        }
        let (expected, got) = (real.send(&step).await, ours.send(&step).await);
        if expected != got {
            let text = format!("seed {seed}, step {number}: {}", shown(&step));
            let found = if expected.code == got.code {
                difference(&expected.body, &got.body, "")
            } else {
                format!(
                    "  real {}: {}\n  ours {}: {}",
                    expected.code,
                    expected.body["message"].to_string()
                        + &expected.body["details"]["causes"].to_string(),
                    got.code,
                    got.body["message"].to_string() + &got.body["details"]["causes"].to_string()
                )
            };
            differences.push(format!("{text}\n{found}"));
            return differences;
        }
        let (expected, got) = (real.plain(of_real.take()), ours.plain(of_ours.take()));
        if expected != got {
            let text = format!("seed {seed}, step {number}: {}", shown(&step));
            let found = difference(&expected, &got, "");
            differences.push(format!("webhooks of {text}\n{found}"));
            return differences;
        }
        if number % 40 == 39 {
            let (collection, ..) = KINDS[number / 40 % KINDS.len()];
            let (expected, got) = (
                real.pages(collection, 2).await,
                ours.pages(collection, 2).await,
            );
            if expected != got {
                let (expected, got) = (bodies(expected), bodies(got));
                let text = difference(&expected, &got, "");
                differences.push(format!(
                    "seed {seed}, step {number}: pages of {collection}
{text}"
                ));
                return differences;
            }
        }
    }
    differences.extend(compare_watches(seed, &mut real, &mut ours, starts).await);
    differences
}

/// Compares all watches of both servers from the start of a run.
async fn compare_watches(
    seed: u64,
    real: &mut Twin,
    ours: &mut Twin,
    starts: Vec<(String, String)>,
) -> Vec<String> {
    let mut differences = Vec::new();
    for (collection, ..) in KINDS {
        let (expected, got) = (
            real.metadata(collection).await,
            ours.metadata(collection).await,
        );
        if expected != got {
            let text = difference(&expected.body, &got.body, "");
            differences.push(format!("seed {seed}: metadata of {collection}\n{text}"));
        }
    }
    let watches = KINDS
        .iter()
        .zip(starts)
        .flat_map(|((collection, ..), starts)| {
            let queries = [
                "",
            "labelSelector=app%3Dx&",
            "fieldSelector=metadata.name%3Da&",
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&",
        ];
            queries.map(|query| (*collection, query, starts.clone()))
        })
        .filter(|(_, query, _)| real.takes(query));
    let watches = watches.collect::<Vec<_>>();
    let all = join_all(
        watches
            .iter()
            .map(|(collection, query, (at_real, at_ours))| {
                let at = |revision: &str| format!("{query}resourceVersion={revision}");
                let (of_real, of_ours) = (at(at_real), at(at_ours));
                let (real, ours) = (&*real, &*ours);
                async move {
                    (
                        real.events(collection, &of_real).await,
                        ours.events(collection, &of_ours).await,
                    )
                }
            }),
    );
    for ((collection, query, _), (of_real, of_ours)) in watches.iter().zip(all.await) {
        if of_real.len() != of_ours.len() {
            let lengths = format!("{} events, not {}", of_ours.len(), of_real.len());
            differences.push(format!(
                "seed {seed}: watch of {collection}?{query}: {lengths}"
            ));
        }
        for (number, (expected, got)) in of_real.into_iter().zip(of_ours).enumerate() {
            let (expected, got) = (real.plain(expected), ours.plain(got));
            if expected != got {
                let text = difference(&expected, &got, "");
                differences.push(format!(
                    "seed {seed}: event {number} of {collection}?{query}\n{text}"
                ));
                break;
            }
        }
    }
    differences
}

fn bodies(answers: Vec<twin::Answer>) -> Value {
    answers.into_iter().map(|answer| answer.body).collect()
}

fn shown(step: &Step) -> String {
    let known = if step.on_known {
        " on what is known"
    } else {
        ""
    };
    format!(
        "{} {}?{} {}{known}\n  {}",
        step.method, step.path, step.query, step.content_type, step.body
    )
}

/// The differences of two values.
fn difference(expected: &Value, got: &Value, path: &str) -> String {
    match (expected, got) {
        (Value::Object(one), Value::Object(other)) => {
            let keys = one
                .keys()
                .chain(other.keys().filter(|key| !one.contains_key(*key)));
            let lines = keys
                .filter(|key| one.get(*key) != other.get(*key))
                .map(|key| {
                    let none = json!("(nothing)");
                    let (one, other) = (
                        one.get(key).unwrap_or(&none),
                        other.get(key).unwrap_or(&none),
                    );
                    difference(one, other, &format!("{path}.{key}"))
                });
            lines.collect::<Vec<_>>().join("\n")
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let pairs = one
                .iter()
                .zip(other)
                .enumerate()
                .filter(|(_, (one, other))| one != other);
            let lines = pairs
                .map(|(index, (one, other))| difference(one, other, &format!("{path}[{index}]")));
            lines.collect::<Vec<_>>().join("\n")
        }
        _ => format!("  {path}\n    real: {expected}\n    ours: {got}"),
    }
}

/// Installs the CRD, and waits until it is served.
async fn install(plane: &Plane, crd: &Value) {
    let mut twin = Twin::new(plane.client.clone());
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let created = twin.send(&post(path, crd.clone())).await;
    assert_eq!(created.code, 201, "{created:?}");
    let object = json!({"apiVersion": "shop.example.com/v1", "kind": "Gadget", "metadata": {"name": "try"}, "spec": {"image": "web"}});
    // For a short time after the creation of a CRD, its objects are not validated yet.
    for _ in 0..100 {
        let probe = Step {
            query: "dryRun=All".to_owned(),
            ..post(
                "/apis/shop.example.com/v1/namespaces/default/gadgets",
                object.clone(),
            )
        };
        if twin.send(&probe).await.code == 201 {
            break;
        }
        sleep(Duration::from_millis(100)).await;
    }
    sleep(Duration::from_secs(1)).await;
}

/// Waits until the webhooks are called.
async fn are_asked(plane: &Plane, asked: &Asked) {
    let mut twin = Twin::new(plane.client.clone());
    let probe = Step {
        query: "dryRun=All".to_owned(),
        ..post(
            "/api/v1/namespaces/default/configmaps",
            json!({"metadata": {"name": "try", "labels": {"app": "x"}}}),
        )
    };
    for _ in 0..100 {
        twin.send(&probe).await;
        if asked
            .take()
            .as_array()
            .is_some_and(|asked| asked.len() == 2)
        {
            return;
        }
        sleep(Duration::from_millis(100)).await;
    }
    panic!("the webhooks are not asked");
}

fn post(path: &str, body: Value) -> Step {
    Step {
        method: "POST",
        path: path.to_owned(),
        query: String::new(),
        content_type: "application/json",
        on_known: false,
        body,
    }
}

/// Deletes all objects of a run.
async fn clean(plane: &Plane) {
    let mut twin = Twin::new(plane.client.clone());
    for (collection, ..) in KINDS {
        for name in ["a", "b", "c"] {
            let step = |method, content_type, body| Step {
                method,
                path: format!("{collection}/{name}"),
                query: String::new(),
                content_type,
                on_known: false,
                body,
            };
            let free = json!({"metadata": {"finalizers": null}});
            twin.send(&step("PATCH", "application/merge-patch+json", free.clone()))
                .await;
            twin.send(&step(
                "DELETE",
                "application/json",
                json!({"propagationPolicy": "Background"}),
            ))
            .await;
            twin.send(&step("PATCH", "application/merge-patch+json", free))
                .await;
        }
    }
}
