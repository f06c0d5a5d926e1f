package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AppServiceSpec is the desired state of an AppService.
type AppServiceSpec struct {
	// Replicas is the number of pods. The CRD has a default for it.
	Replicas int32 `json:"replicas"`
	// Image is the container image to run.
	Image string `json:"image"`
	// Ports are served by a Service; with none there is no Service.
	Ports []corev1.ServicePort `json:"ports,omitempty"`
	// Env is the environment of the container.
	Env []corev1.EnvVar `json:"env,omitempty"`
	// Resources are the compute resources of the container.
	Resources *corev1.ResourceRequirements `json:"resources,omitempty"`
}

// AppServiceStatus is the observed state of an AppService.
type AppServiceStatus struct {
	// ObservedGeneration is the generation that this status describes.
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// Replicas is the number of pods.
	Replicas int32 `json:"replicas"`
	// ReadyReplicas is the number of ready pods.
	ReadyReplicas int32 `json:"readyReplicas"`
	// Selector finds the pods, for the scale subresource.
	Selector string `json:"selector,omitempty"`
	// Conditions say whether the workload is ready, and why not.
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// AppService is a workload that runs as a Deployment, behind a Service where it
// has ports.
// +kubebuilder:object:root=true
type AppService struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   AppServiceSpec   `json:"spec"`
	Status AppServiceStatus `json:"status,omitempty"`
}

// AppServiceList is a list of AppServices.
// +kubebuilder:object:root=true
type AppServiceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []AppService `json:"items"`
}
