//! The operator in a disposable cluster: deployed, used, upgraded and removed.
//!
//! `make test-e2e` runs these tests in a new kind cluster. They are skipped unless `E2E_CONTEXT` names
//! the kubeconfig context of a cluster: see `rop_runtime::testing::DeployedOperator`.

#![cfg(unix)]

mod samples;

use rop_runtime::testing::DeployedOperator;
use serde_json::json;

use samples::{NAMESPACE, READY, VALIDATED};

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
    operator.apply_samples(NAMESPACE).await;
    for sample in READY {
        operator.becomes_ready(sample);
    }
    // The generated webhooks reject a change of this annotation.
    for sample in VALIDATED {
        let annotations = json!({ "example.com/created-by": "nobody" });
        let patch = json!({ "metadata": { "annotations": annotations } });
        let denied = operator.try_edit(sample, &patch).await.unwrap_err();
        assert!(denied.contains("field is immutable"), "{denied}");
    }
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
