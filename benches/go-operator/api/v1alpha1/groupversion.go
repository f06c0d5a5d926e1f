// Package v1alpha1 holds the types of app.example.com/v1alpha1, for the CRD
// that rop makes.
// +kubebuilder:object:generate=true
// +groupName=app.example.com
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is what these types belong to.
var GroupVersion = schema.GroupVersion{Group: "app.example.com", Version: "v1alpha1"}

// AddToScheme makes the types known to a client.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &AppService{}, &AppServiceList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}
