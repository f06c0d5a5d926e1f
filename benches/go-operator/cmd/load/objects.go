package main

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appv1alpha1 "rop/benches/go-operator/api/v1alpha1"
)

const (
	namespace = "load"
	// writers is how many requests the harness makes at a time.
	writers = 10
)

// createAll creates the objects, as small as rop's sample, and as kubectl sends
// it: the Go type of a port also sends what it does not have.
func createAll(ctx context.Context, p *plane, count int, ports bool) error {
	type object = map[string]any
	return forAll(ctx, count, func(ctx context.Context, meta metav1.ObjectMeta) error {
		spec := object{"replicas": int64(1), "image": "nginx:1.29"}
		if ports {
			spec["ports"] = []any{object{"name": "http", "port": int64(80)}}
		}
		app := &unstructured.Unstructured{Object: object{"spec": spec}}
		app.SetGroupVersionKind(appv1alpha1.GroupVersion.WithKind("AppService"))
		app.SetNamespace(meta.Namespace)
		app.SetName(meta.Name)
		return p.Create(ctx, app)
	})
}

// scaleAll gives every object another number of replicas.
func scaleAll(ctx context.Context, p *plane, count int, replicas int32) error {
	patch := client.RawPatch(types.MergePatchType, fmt.Appendf(nil, `{"spec":{"replicas":%d}}`, replicas))
	return forAll(ctx, count, func(ctx context.Context, meta metav1.ObjectMeta) error {
		return p.Patch(ctx, &appv1alpha1.AppService{ObjectMeta: meta}, patch)
	})
}

func objectMeta(index int) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprintf("app-%05d", index)}
}

func forAll(ctx context.Context, count int, write func(context.Context, metav1.ObjectMeta) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for index := range count {
		group.Go(func() error { return write(ctx, objectMeta(index)) })
	}
	return group.Wait()
}
