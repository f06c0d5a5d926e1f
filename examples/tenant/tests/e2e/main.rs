//! The operator in a disposable cluster: deployed, used, upgraded and removed.
//!
//! `make test-e2e` runs these tests in a new kind cluster. They are skipped unless `E2E_CONTEXT` names
//! the kubeconfig context of a cluster: see `rop_runtime::testing::DeployedOperator`.

#![cfg(unix)]

mod samples;

use rop_runtime::testing::DeployedOperator;
use serde_json::json;

use samples::{NAMESPACE, READY};

const PROJECT: &str = env!("CARGO_MANIFEST_DIR");

#[tokio::test]
async fn deployed_from_config() {
    if let Some(operator) = DeployedOperator::from_config(PROJECT) {
        works(operator).await;
    }
}

#[tokio::test]
async fn deployed_from_the_chart() {
    if let Some(operator) = DeployedOperator::from_chart(PROJECT) {
        works(operator).await;
    }
}

/// Uses, upgrades and removes the operator.
async fn works(mut operator: DeployedOperator) {
    let secret = "apply --filename=config/samples/registry.yaml";
    operator.kubectl(secret).unwrap();
    operator.apply_samples(NAMESPACE).await;
    for sample in READY {
        operator.becomes_ready(sample);
    }
    let second = json!({
        "apiVersion": "platform.example.com/v1",
        "kind": "Tenant",
        "metadata": { "name": "second" },
        "spec": {
            "account": "acme-17",
            "group": "second-team",
            "pullSecret": { "namespace": "default", "name": "registry" },
            "environments": [{ "name": "dev" }],
        },
    });
    let denied = operator.try_create(&second).await.unwrap_err();
    assert!(denied.contains("spec.account: Duplicate value"), "{denied}");
    let metrics = operator.metrics().await;
    assert!(
        metrics.contains("controller_runtime_reconcile_total"),
        "{metrics}"
    );

    operator.upgrade();
    for sample in READY {
        operator.reconciles().await;
        operator.becomes_ready(sample);
    }
    operator.remove();
}
