package main

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appv1alpha1 "rop/benches/go-operator/api/v1alpha1"
)

// outcome is what an operator made of the first object: figures of operators
// that do not do the same say nothing.
func outcome(ctx context.Context, p *plane) (map[string]any, error) {
	made := map[string]any{}
	for _, kind := range []schema.GroupVersionKind{
		{Group: "apps", Version: "v1", Kind: "Deployment"},
		{Version: "v1", Kind: "Service"},
		appv1alpha1.GroupVersion.WithKind("AppService"),
	} {
		object := &unstructured.Unstructured{}
		object.SetGroupVersionKind(kind)
		meta := objectMeta(0)
		if err := p.Get(ctx, client.ObjectKey{Namespace: meta.Namespace, Name: meta.Name}, object); apierrors.IsNotFound(err) {
			continue
		} else if err != nil {
			return nil, err
		}
		for _, reference := range object.GetOwnerReferences() {
			made[kind.Kind+" is owned by"] = reference.Kind
		}
		made[kind.Kind+" labels"] = object.GetLabels()
		delete(object.Object, "metadata")
		// What the API server chose.
		unstructured.RemoveNestedField(object.Object, "spec", "clusterIP")
		unstructured.RemoveNestedField(object.Object, "spec", "clusterIPs")
		made[kind.Kind] = withoutTimes(object.Object)
	}
	return made, nil
}

func withoutTimes(value any) any {
	switch value := value.(type) {
	case map[string]any:
		delete(value, "lastTransitionTime")
		for _, item := range value {
			withoutTimes(item)
		}
	case []any:
		for _, item := range value {
			withoutTimes(item)
		}
	}
	return value
}

// differences lists where two values differ, by path.
func differences(path string, a, b any) []string {
	if reflect.DeepEqual(a, b) {
		return nil
	}
	left, isMap := a.(map[string]any)
	right, bothAre := b.(map[string]any)
	if !isMap || !bothAre {
		return []string{fmt.Sprintf("%s: %v, and %v", path, a, b)}
	}
	keys := maps.Clone(left)
	maps.Copy(keys, right)
	var found []string
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		found = append(found, differences(path+"."+key, left[key], right[key])...)
	}
	return found
}
