package controller

import (
	"errors"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	appv1alpha1 "rop/benches/go-operator/api/v1alpha1"
)

// rollout is how far the pods are: the state that holds of them, and why.
type rollout struct {
	condition       string
	reason, message string
}

// The conditions of an AppService, of which one holds at a time.
const (
	ready       = "Ready"
	progressing = "Progressing"
	degraded    = "Degraded"
)

// setStatus describes an AppService after a reconcile that saw the Deployment,
// or was refused.
func setStatus(app *appv1alpha1.AppService, deployment *appsv1.Deployment, refusal error) {
	status := &app.Status
	status.ObservedGeneration = app.Generation
	now := rollout{degraded, "Refused", ""}
	if refusal != nil {
		now.message = refusal.Error()
		if answer := apierrors.APIStatus(nil); errors.As(refusal, &answer) {
			now.reason = string(answer.Status().Reason)
		}
	} else {
		status.Replicas = deployment.Status.Replicas
		status.ReadyReplicas = deployment.Status.ReadyReplicas
		status.Selector = labels.FormatLabels(selectorLabels(app))
		now = rolloutOf(deployment)
	}
	for _, conditionType := range []string{ready, progressing, degraded} {
		value := metav1.ConditionFalse
		if conditionType == now.condition {
			value = metav1.ConditionTrue
		}
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{
			Type:               conditionType,
			Status:             value,
			ObservedGeneration: app.Generation,
			Reason:             now.reason,
			Message:            now.message,
		})
	}
}

// rolloutOf reads a Deployment as `kubectl rollout status` does.
func rolloutOf(deployment *appsv1.Deployment) rollout {
	wanted, seen := *deployment.Spec.Replicas, deployment.Status
	message := fmt.Sprintf("%d of %d pods are available", seen.AvailableReplicas, wanted)
	underWay := rollout{progressing, "RollingOut", message}
	if seen.ObservedGeneration < deployment.Generation {
		return underWay
	}
	if seen.Replicas == wanted && seen.UpdatedReplicas == wanted && seen.AvailableReplicas == wanted {
		return rollout{ready, "Available", message}
	}
	for _, condition := range seen.Conditions {
		failed := condition.Type == appsv1.DeploymentReplicaFailure && condition.Status == corev1.ConditionTrue ||
			condition.Type == appsv1.DeploymentProgressing && condition.Status == corev1.ConditionFalse
		if failed {
			message = strings.TrimSuffix(message+": "+condition.Message, ": ")
			return rollout{degraded, condition.Reason, message}
		}
	}
	return underWay
}
