//! The operator's roles hold what it needs, and nothing else: without any one permission, something
//! is denied to an operator that does all that it can do.

use std::collections::BTreeSet;
use std::fmt;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::case::{APP_SERVICES, Case, Crew, RUNNERS, STORES, VAULTS, crew};
use super::operator::{Operator, PROBES};
use super::resource::{DEPLOYMENTS, PODS, Resource, SERVICES};
use crate::support::control_plane::free_port;
use crate::support::net;
use crate::support::proxy::{Purpose, Request};

const RBAC: &str = "/apis/rbac.authorization.k8s.io/v1";

/// How long a step may take. Only a permission that is missed without a denial makes it so long.
const STEP: Duration = Duration::from_secs(20);

/// How long an operator asks for nothing that waits for something to happen.
const PAUSE: Duration = Duration::from_millis(500);

/// What an operator has beside its rights to children and objects.
const LEASE: Resource = Resource::new("coordination.k8s.io", "v1", "leases", "Lease");

#[test]
fn every_permission_is_needed_and_none_is_missing() {
    let Some(crew) = crew() else {
        return;
    };
    let permissions = permissions(&crew);
    assert!(permissions.len() > 20, "{permissions:?}");

    let (end, denied) = Trial::run(&permissions, None, "");
    assert_eq!((end, denied), (Ok(()), BTreeSet::new()), "with all of them");

    let start = Instant::now();
    let is_superfluous = |(number, permission): (usize, &Permission)| {
        let mut trial = Trial::run(&permissions, Some(number), "");
        if matches!(trial, (Err(Failure::Stuck(_)), _)) {
            // For want of a port, for instance.
            trial = Trial::run(&permissions, Some(number), "-again");
        }
        let (end, denied) = trial;
        eprintln!("without {permission}: {end:?}, denied {denied:?}");
        (end.is_ok() && denied.is_empty()).then(|| permission.to_string())
    };
    let superfluous: Vec<_> = permissions
        .iter()
        .enumerate()
        .filter_map(is_superfluous)
        .collect();
    eprintln!("{} permissions in {:?}", permissions.len(), start.elapsed());
    assert!(superfluous.is_empty(), "nobody misses {superfluous:#?}");
}

/// One verb for one resource.
#[derive(Debug)]
struct Permission {
    /// Whether it is for the operator's own namespace alone.
    is_namespaced: bool,
    /// A rule with nothing else in it.
    rule: Value,
}

impl fmt::Display for Permission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [verb, group, resource] = ["verbs", "apiGroups", "resources"]
            .map(|list| self.rule[list][0].as_str().unwrap_or_default());
        write!(f, "{verb} {resource}.{group}")?;
        if self.is_namespaced {
            write!(f, " in its own namespace")?;
        }
        Ok(())
    }
}

/// What the roles that are bound to the operator's account allow, one by one.
fn permissions(crew: &Crew) -> Vec<Permission> {
    let Crew { plane, installed } = crew;
    let (namespace, account) = (installed.namespace(), installed.service_account());
    let mut permissions = Vec::new();
    for (is_namespaced, bindings) in [
        (false, format!("{RBAC}/clusterrolebindings")),
        (true, format!("{RBAC}/namespaces/{namespace}/rolebindings")),
    ] {
        let bindings = plane.api().get(&bindings);
        for binding in bindings["items"].as_array().into_iter().flatten() {
            let subject = &binding["subjects"][0];
            if subject["name"] != *account || subject["namespace"] != *namespace {
                continue;
            }
            let name = binding["roleRef"]["name"].as_str().expect("a role");
            let role = match binding["roleRef"]["kind"].as_str() {
                Some("Role") => format!("{RBAC}/namespaces/{namespace}/roles/{name}"),
                _ => format!("{RBAC}/clusterroles/{name}"),
            };
            let role = plane.api().get(&role);
            for rule in role["rules"].as_array().into_iter().flatten() {
                permissions.extend(single(rule).map(|rule| Permission {
                    is_namespaced,
                    rule,
                }));
            }
        }
    }
    permissions
}

/// The parts of a rule.
fn single(rule: &Value) -> impl Iterator<Item = Value> {
    let list = |name: &str| rule[name].as_array().cloned().unwrap_or_default();
    let mut rules = Vec::new();
    for group in list("apiGroups") {
        for resource in list("resources") {
            for verb in list("verbs") {
                let mut rule = rule.clone();
                rule["apiGroups"] = json!([group]);
                rule["resources"] = json!([resource]);
                rule["verbs"] = json!([verb]);
                rules.push(rule);
            }
        }
    }
    rules.into_iter()
}

/// Why an operator could not do all that it should.
#[derive(Debug, Eq, PartialEq)]
enum Failure {
    Denied,
    Stuck(&'static str),
}

/// An operator that does all that it can, as a service account of its own.
struct Trial {
    case: Case,
    arguments: Vec<String>,
    metrics: Option<u16>,
    user: String,
    log: File,
    denied: BTreeSet<String>,
}

impl Trial {
    /// Runs it without one of the permissions. Returns how it ended and what was denied.
    fn run(
        permissions: &[Permission],
        without: Option<usize>,
        suffix: &str,
    ) -> (Result<(), Failure>, BTreeSet<String>) {
        let name = without.map_or("all".to_owned(), |number| number.to_string());
        let namespace = format!("privilege-{name}{suffix}");
        let mut case = Case::prepare(&namespace).expect("a control plane");
        case.use_account("operator");
        let (arguments, metrics) = arguments(&case.crew);
        let mut log = File::open(case.plane().audit_log()).expect("an audit log");
        log.seek(SeekFrom::End(0)).expect("a file");
        let mut trial = Self {
            user: format!("system:serviceaccount:{namespace}:operator"),
            case,
            arguments,
            metrics,
            log,
            denied: BTreeSet::new(),
        };
        let rules = |is_namespaced| {
            let rest = permissions
                .iter()
                .enumerate()
                .filter(|(number, permission)| {
                    permission.is_namespaced == is_namespaced && Some(*number) != without
                });
            rest.map(|(_, permission)| permission.rule.clone())
                .collect()
        };
        trial.grant("ClusterRole", &format!("{RBAC}/"), "cluster", rules(false));
        let roles = format!("{RBAC}/namespaces/{namespace}/");
        trial.grant("Role", &roles, "", rules(true));
        let end = trial.everything();
        trial.look();
        (end, trial.denied)
    }

    /// Creates a role and binds it to the account. Role edits take effect within milliseconds.
    fn grant(&self, kind: &str, path: &str, prefix: &str, rules: Vec<Value>) {
        let api = self.case.plane().api();
        let name = &self.case.namespace;
        let role = json!({"metadata": {"name": name}, "rules": rules});
        api.create(&format!("{path}{prefix}roles"), &role);
        let binding = json!({
            "metadata": {"name": name},
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": kind, "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": "operator", "namespace": name}],
        });
        api.create(&format!("{path}{prefix}rolebindings"), &binding);
        let Some(rule) = rules.last() else { return };
        let review = json!({
            "apiVersion": "authorization.k8s.io/v1", "kind": "SubjectAccessReview",
            "spec": {"user": self.user, "resourceAttributes": {
                "namespace": name, "group": rule["apiGroups"][0], "verb": rule["verbs"][0],
                "resource": rule["resources"][0].as_str().and_then(|name| name.split('/').next()),
                "subresource": rule["resources"][0].as_str().and_then(|name| name.split('/').nth(1)),
                "name": rule["resourceNames"][0],
            }},
        });
        let reviews = "/apis/authorization.k8s.io/v1/subjectaccessreviews";
        super::case::soon("a role in force", || {
            api.create(reviews, &review)["status"]["allowed"] == true
        });
    }

    /// Everything that an operator does, one thing after the other.
    fn everything(&mut self) -> Result<(), Failure> {
        let operator = self.launch();
        self.elected_and_asked()?;
        self.objects_come_and_change()?;
        self.children_are_repaired()?;
        self.children_go()?;
        self.names_are_taken()?;
        self.another_takes_over(operator)?;
        self.case.rests();
        Ok(())
    }

    fn launch(&self) -> Operator {
        let arguments: Vec<_> = self.arguments.iter().map(|text| &**text).collect();
        self.case.launch(&arguments)
    }

    fn elected_and_asked(&mut self) -> Result<(), Failure> {
        if self
            .arguments
            .iter()
            .any(|argument| argument == "--leader-elect")
        {
            self.until("a lease", |case| {
                let leases = case.plane().api().get(&LEASE.all(&case.namespace));
                leases["items"][0]["spec"]["holderIdentity"].is_string()
            })?;
        }
        if let Some(port) = self.metrics {
            // It asks the API server who this is and what it may, whatever the answer.
            self.until("metrics", |case| {
                let token = case.plane().token(&case.namespace, "operator");
                net::get_securely(port, "/metrics", &token).is_some()
            })?;
        }
        Ok(())
    }

    fn objects_come_and_change(&mut self) -> Result<(), Failure> {
        let workload = json!({"image": "nginx", "replicas": 1, "ports": [{"port": 80}]});
        self.case.create(APP_SERVICES, "web", &workload);
        self.case.create(STORES, "shop", &workload);
        self.case.create(VAULTS, "safe", &workload);
        self.case
            .create(RUNNERS, "run", &json!({"image": "busybox:1"}));
        let objects = [
            (APP_SERVICES, "web"),
            (STORES, "shop"),
            (VAULTS, "safe"),
            (RUNNERS, "run"),
        ];
        self.settles(&objects)?;
        for (kind, name) in objects {
            let image = json!({"spec": {"image": "busybox:2"}});
            self.case.merge(kind, name, &image);
        }
        self.settles(&objects)?;
        let image = "/spec/containers/0/image";
        self.until("another image", |case| {
            case.get(PODS, "run-pod").pointer(image) == Some(&json!("busybox:2"))
        })
    }

    /// Twice the same, for an event that comes again is another request.
    fn children_are_repaired(&mut self) -> Result<(), Failure> {
        for _ in 0..2 {
            let replicas = json!({"spec": {"replicas": 7}});
            self.case.merge(DEPLOYMENTS, "web", &replicas);
            self.until("a repair", |case| {
                case.get(DEPLOYMENTS, "web")["spec"]["replicas"] == 1
            })?;
        }
        for (kind, name) in [(DEPLOYMENTS, "web"), (SERVICES, "shop"), (PODS, "run-pod")] {
            self.case.delete(kind, name);
            self.until("another child", |case| case.get(kind, name).is_object())?;
        }
        // One that has lost its labels is not among those that are watched.
        let labels = json!({"metadata": {"labels": null}});
        self.case.merge(DEPLOYMENTS, "shop", &labels);
        self.until("labels", |case| {
            case.get(DEPLOYMENTS, "shop")["metadata"]["labels"].is_object()
        })
    }

    fn children_go(&mut self) -> Result<(), Failure> {
        for (kind, name) in [(APP_SERVICES, "web"), (STORES, "shop")] {
            self.case
                .merge(kind, name, &json!({"spec": {"ports": null}}));
            self.until("no Service", |case| case.get(SERVICES, name).is_null())?;
        }
        self.case.delete(STORES, "shop");
        self.case.delete(VAULTS, "safe");
        self.until("no vault", |case| {
            case.collect_garbage();
            case.get(VAULTS, "safe").is_null()
        })
    }

    /// What is somebody else's is looked at.
    fn names_are_taken(&mut self) -> Result<(), Failure> {
        let pod = json!({"containers": [{"name": "theirs", "image": "theirs"}]});
        let labels = json!({"app": "theirs"});
        let deployment = json!({
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": pod},
        });
        self.case.create(DEPLOYMENTS, "taken", &deployment);
        self.case.create(PODS, "taken-pod", &pod);
        let spec = json!({"image": "nginx"});
        self.case.create(APP_SERVICES, "taken", &spec);
        self.case.create(RUNNERS, "taken", &spec);
        self.settles(&[(APP_SERVICES, "taken"), (RUNNERS, "taken")])
    }

    /// A second one waits, takes over what the first leaves, and finds what is somebody else's.
    fn another_takes_over(&mut self, first: Operator) -> Result<(), Failure> {
        // Only one of them can have the port of the metrics.
        let metrics = "--metrics-bind-address";
        self.arguments
            .retain(|argument| !argument.starts_with(metrics));
        self.case.proxy.take_requests();
        let _second = self.launch();
        self.until("a second operator", |case| {
            let requests = case.proxy.requests();
            let watches = |request: &Request| request.purpose == Purpose::Watch;
            let last = requests.last().map(|request| request.at.elapsed());
            requests.iter().any(watches) && last.is_some_and(|since| since > PAUSE)
        })?;
        let (code, _) = first.terminate();
        assert_eq!(code, Some(0));
        let theirs = json!({"selector": {"app": "theirs"}, "ports": [{"port": 99}]});
        self.case.create(SERVICES, "web", &theirs);
        let replicas = json!({"spec": {"replicas": 2, "ports": [{"port": 80}]}});
        self.case.merge(APP_SERVICES, "web", &replicas);
        self.settles(&[(APP_SERVICES, "web")])?;
        self.case
            .merge(APP_SERVICES, "web", &json!({"spec": {"ports": null}}));
        self.settles(&[(APP_SERVICES, "web")])
    }

    fn settles(&mut self, objects: &[(Resource, &'static str)]) -> Result<(), Failure> {
        for (kind, name) in objects {
            self.until("a status", |case| {
                let object = case.get(*kind, name);
                let seen = &object["status"]["observedGeneration"];
                *seen == object["metadata"]["generation"]
            })?;
        }
        Ok(())
    }

    /// Waits until something is so, or something is denied.
    fn until(&mut self, what: &'static str, is_so: impl Fn(&Case) -> bool) -> Result<(), Failure> {
        let deadline = Instant::now() + STEP;
        loop {
            let is_so = is_so(&self.case);
            self.look();
            if !self.denied.is_empty() {
                return Err(Failure::Denied);
            } else if is_so {
                return Ok(());
            } else if Instant::now() > deadline {
                return Err(Failure::Stuck(what));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Reads on in the audit log.
    fn look(&mut self) {
        let mut text = Vec::new();
        self.log.read_to_end(&mut text).expect("an audit log");
        let end = text.iter().rposition(|byte| *byte == b'\n');
        let (lines, rest) = text.split_at(end.map_or(0, |end| end + 1));
        let unread = i64::try_from(rest.len()).expect("a short line");
        self.log.seek(SeekFrom::Current(-unread)).expect("a file");
        let lines = String::from_utf8_lossy(lines);
        for line in lines.lines().filter(|line| line.contains(&self.user)) {
            let event: Value = serde_json::from_str(line).expect("an event");
            let is_denied = event["responseStatus"]["code"] == 403;
            if is_denied && event["user"]["username"] == *self.user {
                let object = &event["objectRef"];
                let verb = event["verb"].as_str().unwrap_or_default();
                let resource = object["resource"].as_str().unwrap_or_default();
                self.denied.insert(format!("{verb} {resource}"));
            }
        }
    }
}

/// What the manifests start the operator with, but for ports that can be had, and that of the
/// metrics where there is one.
fn arguments(crew: &Crew) -> (Vec<String>, Option<u16>) {
    let Crew { plane, installed } = crew;
    let name = installed.service_account();
    let deployment = plane
        .api()
        .get(&DEPLOYMENTS.one(&installed.namespace(), &name));
    let container = &deployment["spec"]["template"]["spec"]["containers"][0];
    let mut metrics = None;
    let arguments = container["args"].as_array().into_iter().flatten();
    let mut arguments: Vec<String> = arguments
        .map(|argument| argument.as_str().expect("a flag").to_owned())
        .filter(|argument| !argument.starts_with(PROBES))
        .collect();
    for argument in &mut arguments {
        if argument.starts_with("--metrics-bind-address=:") {
            let port = *metrics.insert(free_port());
            *argument = format!("--metrics-bind-address=127.0.0.1:{port}");
        }
    }
    (arguments, metrics)
}
