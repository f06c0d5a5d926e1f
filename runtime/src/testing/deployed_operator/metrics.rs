//! The metrics of a deployed operator, as Prometheus scrapes them.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};

use hyper::Request;
use kube::{Client, Config};
use tokio::time::{Instant, sleep};

use super::cluster::DisposableCluster;
use super::manifests::Manifests;
use super::{DeployedOperator, PAUSE, TIMEOUT};

/// The reconciles, by controller and result.
const RECONCILES: &str = "controller_runtime_reconcile_total{";

impl DeployedOperator {
    /// Scrapes the metrics through their Service, with the token of a service account that has the
    /// `ClusterRole` for it.
    ///
    /// # Panics
    /// Panics if the operator does not return them, or if it returns them without a token.
    pub async fn metrics(&self) -> String {
        let (manifests, cluster) = (&self.manifests, &self.cluster);
        let apply = "apply --server-side --filename=-";
        let applied = cluster.kubectl(apply, &manifests.metrics_access());
        applied.unwrap_or_else(|error| panic!("no access to the metrics: {error}"));
        let (reader, namespace) = (manifests.reader(), &manifests.namespace);
        let token = self
            .kubectl(&format!("create token {reader} --namespace={namespace}"))
            .unwrap_or_else(|error| panic!("no token: {error}"));

        let deadline = Instant::now() + TIMEOUT;
        loop {
            match self.scrape(&token).await {
                Ok(metrics) => return metrics,
                // The binding is not known yet, or the pod was just replaced.
                Err(_) if Instant::now() < deadline => sleep(PAUSE).await,
                Err(error) => panic!("no metrics: {error}"),
            }
        }
    }

    async fn scrape(&self, token: &str) -> Result<String, String> {
        let forward = Forward::start(&self.cluster, &self.manifests)?;
        match forward.get(None).await {
            Err(kube::Error::Api(answer)) if answer.code == 401 => {}
            Err(error) => return Err(error.to_string()),
            Ok(_) => panic!("the metrics can be read without a token"),
        }
        let metrics = forward.get(Some(token)).await;
        metrics.map_err(|error| error.to_string())
    }

    /// Waits until the metrics count a successful reconcile: after an [upgrade](Self::upgrade), this
    /// is one of the new pod.
    ///
    /// # Panics
    /// Panics after 3 minutes, and like [`metrics`](Self::metrics).
    pub async fn reconciles(&self) {
        let deadline = Instant::now() + TIMEOUT;
        loop {
            let metrics = self.metrics().await;
            if has_reconciled(&metrics) {
                return;
            }
            assert!(Instant::now() < deadline, "no reconcile:\n{metrics}");
            sleep(PAUSE).await;
        }
    }
}

/// Whether metrics count a reconcile without an error.
fn has_reconciled(metrics: &str) -> bool {
    let reconciles = metrics
        .lines()
        .filter(|line| line.starts_with(RECONCILES) && !line.contains("result=\"error\""));
    let mut counts = reconciles.filter_map(|line| line.rsplit_once(' ')?.1.parse::<f64>().ok());
    counts.any(|count| count > 0.0)
}

/// A local port that leads to the Service of the metrics.
struct Forward {
    kubectl: Child,
    port: u16,
}

impl Forward {
    fn start(cluster: &DisposableCluster, manifests: &Manifests) -> Result<Self, String> {
        let service = format!("service/{}-metrics-service", manifests.name);
        let mut kubectl = cluster.kubectl_command();
        kubectl
            .args(["port-forward", "--address=127.0.0.1"])
            .args(["--namespace", &manifests.namespace, &service, ":https"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let kubectl = kubectl.spawn().expect("kubectl runs");
        let mut forward = Self { kubectl, port: 0 };
        let output = forward.kubectl.stdout.take().expect("stdout is piped");
        let mut line = String::new();
        let read = BufReader::new(output).read_line(&mut line);
        read.expect("kubectl prints text");
        forward.port = port(&line).ok_or_else(|| format!("no way to {service}"))?;
        Ok(forward)
    }

    async fn get(&self, token: Option<&str>) -> kube::Result<String> {
        crate::install_crypto_provider();
        let url = format!("https://127.0.0.1:{}", self.port);
        let mut config = Config::new(url.parse().expect("a URL"));
        // The operator creates its certificate.
        config.accept_invalid_certs = true;
        config.auth_info.token = token.map(|token| token.to_owned().into());
        let request = Request::get("/metrics").body(Vec::new());
        let client = Client::try_from(config)?;
        client.request_text(request.expect("a request")).await
    }
}

impl Drop for Forward {
    fn drop(&mut self) {
        let _ = self.kubectl.kill();
        let _ = self.kubectl.wait();
    }
}

/// The local port in a line of kubectl: `Forwarding from 127.0.0.1:40123 -> 8443`.
fn port(line: &str) -> Option<u16> {
    let (_, address) = line.split_once(" 127.0.0.1:")?;
    address.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_kubectl_is_read() {
        assert_eq!(
            port("Forwarding from 127.0.0.1:40123 -> 8443\n"),
            Some(40123)
        );
        assert_eq!(port(""), None);
    }

    #[test]
    fn errors_and_zeros_are_no_reconciles() {
        let line = |result: &str, count: &str| {
            format!("{RECONCILES}controller=\"app\",result=\"{result}\"}} {count}\n")
        };
        let failing = line("error", "3") + &line("success", "0");
        assert!(!has_reconciled(&failing));
        assert!(has_reconciled(&(failing + &line("requeue_after", "1"))));
    }
}
