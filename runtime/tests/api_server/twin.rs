//! One of the two compared servers, with the objects seen on it.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use futures::AsyncBufReadExt as _;
use kube::Client;
use regex::Regex;
use serde_json::{Value, json};
use tokio::time::{Duration, timeout};

use crate::older;

/// A request whose body has `@uid(path)`, `@rv(path)` and `@old(path)` for values that differ between servers.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) query: String,
    pub(crate) content_type: &'static str,
    /// Whether the body is the last seen object, with this merged into it.
    pub(crate) on_known: bool,
    pub(crate) body: Value,
}

impl Step {
    /// A read request.
    pub(crate) fn get(path: &str) -> Self {
        Self {
            method: "GET",
            path: path.to_owned(),
            query: String::new(),
            content_type: "application/json",
            on_known: false,
            body: Value::Null,
        }
    }
}

/// A response without values that differ between servers.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) code: u16,
    pub(crate) body: Value,
}

/// The minor version of Kubernetes that the in-memory server follows.
pub(crate) const NEWEST: u32 = 37;

/// One of the two servers.
pub(crate) struct Twin {
    client: Client,
    /// All metadata of each object that was seen.
    seen: BTreeMap<String, Vec<Value>>,
    names: Names,
    /// The minor version of Kubernetes, unless it is the newest.
    older: Option<u32>,
}

/// Names for uids and revisions, in the order of their first use.
#[derive(Default)]
struct Names {
    uids: Vec<String>,
    revisions: Vec<String>,
}

fn number(list: &mut Vec<String>, text: &str) -> usize {
    list.iter()
        .position(|known| known == text)
        .unwrap_or_else(|| {
            list.push(text.to_owned());
            list.len() - 1
        })
}

impl Twin {
    pub(crate) fn new(client: Client) -> Self {
        Self {
            client,
            seen: BTreeMap::new(),
            names: Names::default(),
            older: None,
        }
    }

    /// A server of this minor version, whose responses are converted to those of the newest.
    pub(crate) fn of(self, minor: u32) -> Self {
        let older = (minor < NEWEST).then_some(minor);
        Self { older, ..self }
    }

    /// Removes parts of a request that would not have the same effect as on the newest version.
    pub(crate) fn leave_out(&self, step: &mut Step) {
        if let Some(minor) = self.older {
            older::leave_out(minor, step);
        }
    }

    /// Whether it accepts a watch request.
    pub(crate) fn takes(&self, query: &str) -> bool {
        let streams = self.older.is_none_or(older::streams_lists);
        streams || !query.contains("sendInitialEvents")
    }

    async fn raw(&self, step: &Step, body: Vec<u8>) -> (u16, Value) {
        self.raw_as(step, body, "application/json").await
    }

    async fn raw_as(&self, step: &Step, body: Vec<u8>, accept: &str) -> (u16, Value) {
        let separator = if step.query.is_empty() { "" } else { "?" };
        let address = format!("{}{separator}{}", step.path, step.query);
        let request = hyper::Request::builder().method(step.method).uri(address);
        let request = request
            .header("content-type", step.content_type)
            .header("accept", accept);
        let request = request
            .body(kube::client::Body::from(body))
            .expect("a request");
        let response = self.client.send(request).await.expect("an answer");
        let code = response.status().as_u16();
        let bytes = response.into_body().collect_bytes().await.expect("a body");
        (
            code,
            serde_json::from_slice(&bytes)
                .unwrap_or_else(|_| json!(String::from_utf8_lossy(&bytes))),
        )
    }

    /// Sends a request.
    pub(crate) async fn send(&mut self, step: &Step) -> Answer {
        let object_path = step
            .path
            .trim_end_matches("/status")
            .trim_end_matches("/scale")
            .to_owned();
        let body = match &step.body {
            Value::Null => Vec::new(),
            body if step.on_known => {
                let known = self.seen.get(&object_path).and_then(|seen| seen.last());
                let mut object = known.cloned().unwrap_or_else(|| json!({}));
                merge(&mut object, body);
                object.to_string().into_bytes()
            }
            Value::String(text) => text.clone().into_bytes(),
            body => self.fill_in(&body.to_string()).into_bytes(),
        };
        let filled = Step {
            query: self.fill_in(&step.query),
            ..step.clone()
        };
        let (code, answer) = self.raw(&filled, body).await;
        self.note(&step.path, &answer);
        let body = self.plain(answer);
        let said = body.get("code").and_then(Value::as_u64);
        Answer {
            // The status of another release may have been converted.
            code: said.map_or(code, |code| u16::try_from(code).expect("a code")),
            body,
        }
    }

    /// Lists the metadata of a collection.
    pub(crate) async fn metadata(&mut self, path: &str) -> Answer {
        let accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
        let (code, answer) = self.raw_as(&Step::get(path), Vec::new(), accept).await;
        Answer {
            code,
            body: self.plain(answer),
        }
    }

    /// Lists a collection in pages.
    pub(crate) async fn pages(&mut self, path: &str, limit: usize) -> Vec<Answer> {
        let mut answers = Vec::new();
        let mut token = String::new();
        loop {
            let step = Step {
                query: format!("limit={limit}&continue={token}"),
                ..Step::get(path)
            };
            let (code, answer) = self.raw(&step, Vec::new()).await;
            let next = answer["metadata"]["continue"].as_str().unwrap_or_default();
            token = next
                .replace('%', "%25")
                .replace('+', "%2B")
                .replace('=', "%3D");
            answers.push(Answer {
                code,
                body: self.plain(answer),
            });
            if token.is_empty() || answers.len() > 50 {
                return answers;
            }
        }
    }

    /// The events of a watch from a revision, until there are no more.
    pub(crate) async fn events(&self, path: &str, query: &str) -> Vec<Value> {
        let address = format!("{path}?watch=true&timeoutSeconds=20&{query}");
        let request = hyper::Request::get(address)
            .body(Vec::new())
            .expect("a request");
        let lines = self.client.request_stream(request).await.expect("a watch");
        let mut events = Vec::new();
        let mut lines = std::pin::pin!(lines);
        let mut line = String::new();
        while let Ok(Ok(1..)) =
            timeout(Duration::from_millis(800), lines.read_line(&mut line)).await
        {
            let event: Value = serde_json::from_str(&line).expect("an event");
            // The server may send a bookmark between events at any time.
            let ends_initial = "/object/metadata/annotations/k8s.io~1initial-events-end";
            if event["type"] != "BOOKMARK" || event.pointer(ends_initial).is_some() {
                events.push(event);
            }
            line.clear();
        }
        events
    }

    /// The revision of the server.
    pub(crate) async fn revision(&self, path: &str) -> String {
        let step = Step::get(path);
        let (_, list) = self.raw(&step, Vec::new()).await;
        list["metadata"]["resourceVersion"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }

    fn note(&mut self, path: &str, answer: &Value) {
        let kind = answer["kind"].as_str().unwrap_or_default();
        let name = answer["metadata"]["name"].as_str();
        if let Some(name) = name.filter(|_| !matches!(kind, "Status" | "Scale")) {
            let path = path.trim_end_matches("/status");
            let path = if path.ends_with(&format!("/{name}")) {
                path.to_owned()
            } else {
                format!("{path}/{name}")
            };
            self.seen.entry(path).or_default().push(answer.clone());
        }
        for item in answer["items"].as_array().into_iter().flatten() {
            let name = item["metadata"]["name"].as_str().unwrap_or_default();
            self.seen
                .entry(format!("{path}/{name}"))
                .or_default()
                .push(item.clone());
        }
    }

    fn fill_in(&self, text: &str) -> String {
        static PATTERN: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"@(uid|rv|old)\(([^)]*)\)").expect("a pattern"));
        let filled = PATTERN.replace_all(text, |found: &regex::Captures| {
            let seen = self.seen.get(&found[2]);
            let object = match &found[1] {
                "old" => seen.and_then(|seen| seen.first()),
                _ => seen.and_then(|seen| seen.last()),
            };
            let field = if &found[1] == "uid" {
                "uid"
            } else {
                "resourceVersion"
            };
            let value = object.and_then(|object| object["metadata"][field].as_str());
            value.unwrap_or("1").to_owned()
        });
        filled.into_owned()
    }

    /// The parts of a response that both servers have in common.
    pub(crate) fn plain(&mut self, mut answer: Value) -> Value {
        // Names are assigned in the order of fields, which another crate of the build may change to insertion order (a
        // feature of serde_json).
        answer.sort_all_objects();
        if let Some(minor) = self.older {
            older::renew(minor, &mut answer);
        }
        // A bookmark can have any revision.
        if answer["type"] == "BOOKMARK"
            && let Some(metadata) = answer.pointer_mut("/object/metadata")
        {
            metadata["resourceVersion"] = json!("");
        }
        self.walk(&mut answer, "");
        if let Some(causes) = answer
            .pointer_mut("/details/causes")
            .and_then(Value::as_array_mut)
        {
            causes.sort_by_key(Value::to_string);
            if causes.len() > 1 {
                answer["message"] = json!("of several causes");
            }
        }
        answer
    }

    fn walk(&mut self, value: &mut Value, key: &str) {
        match value {
            Value::Object(fields) => {
                let is_list = fields.contains_key("items");
                for (key, value) in fields.iter_mut() {
                    if key == "metadata"
                        && is_list
                        && let Some(list) = value.as_object_mut()
                    {
                        list.remove("resourceVersion");
                    }
                    self.walk(value, key);
                }
                if let Some(Value::Array(entries)) = fields.get_mut("managedFields") {
                    entries.sort_by_key(Value::to_string);
                }
            }
            Value::Array(items) => {
                for item in items {
                    self.walk(item, key);
                }
            }
            Value::String(text) => *text = self.plain_text(key, text),
            Value::Number(_) if key == "nodePort" => *value = json!("a port"),
            _ => {}
        }
    }

    fn plain_text(&mut self, key: &str, text: &str) -> String {
        match key {
            _ if text.is_empty() => String::new(),
            "uid" => format!("uid {}", number(&mut self.names.uids, text)),
            "resourceVersion" => format!("revision {}", number(&mut self.names.revisions, text)),
            "continue" => "a token".to_owned(),
            "creationTimestamp" | "deletionTimestamp" | "time" => "a time".to_owned(),
            "clusterIP" | "clusterIPs" if text != "None" => "an address".to_owned(),
            "message" => plain_message(text),
            _ => text.to_owned(),
        }
    }
}

/// A message without uids, times, revisions and values that depend on the order of fields.
fn plain_message(text: &str) -> String {
    static PATTERNS: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
        let patterns = [
            (
                r#"(?s)Invalid value: "\{.*\}(\\n)?": "#,
                "Invalid value: an object: ",
            ),
            (
                r"(?s)(failed to create typed patch object \([^)]*\)): .*",
                "$1",
            ),
            (
                "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}",
                "a uid",
            ),
            (r"(error in \w+ for path: '[^']*'): .*", "$1"),
            ("(failed to call webhook): .*", "$1"),
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", "a time"),
            (r"(ResourceVersion in [a-z ]+[(:] ?)\d+", "${1}n"),
            (r#""resourceVersion":"\d+""#, "a revision"),
            (r#"\\"resourceVersion\\":\\"\d+\\""#, "a revision"),
        ];
        let compiled = patterns.map(|(pattern, with)| {
            let pattern = Regex::new(pattern).expect("a pattern");
            (pattern, with)
        });
        compiled.into()
    });
    PATTERNS
        .iter()
        .fold(text.to_owned(), |text, (pattern, with)| {
            pattern.replace_all(&text, *with).into_owned()
        })
}

fn merge(into: &mut Value, patch: &Value) {
    match (into, patch) {
        (Value::Object(into), Value::Object(patch)) => {
            for (key, value) in patch {
                match value {
                    Value::Null => {
                        into.remove(key);
                    }
                    value => merge(into.entry(key).or_insert(Value::Null), value),
                }
            }
        }
        (into, patch) => into.clone_from(patch),
    }
}
