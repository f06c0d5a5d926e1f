package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appv1alpha1 "rop/benches/go-operator/api/v1alpha1"
)

// tracker watches how many objects have what they ask for.
type tracker struct {
	mutex   sync.Mutex
	objects map[string]*progress
	// Whether each object has a Service.
	services bool
	// What is waited for, and how many objects have it.
	wanted   int
	replicas int32
	ready    int
	done     chan time.Time
}

// progress is what is known of one object and its children.
type progress struct {
	uid, deploymentOwner, serviceOwner types.UID
	replicas, deploymentReplicas       int32
	current                            bool
}

// converged means that an object asks for as many replicas as are waited for,
// that its children are its own and as it asks, and that its status says so.
func (t *tracker) converged(p *progress) bool {
	return p.current && p.replicas == t.replicas && p.deploymentReplicas == t.replicas &&
		p.deploymentOwner == p.uid && (!t.services || p.serviceOwner == p.uid)
}

// track begins to watch.
func track(ctx context.Context, p *plane, services bool) *tracker {
	t := &tracker{objects: map[string]*progress{}, services: services}
	go t.follow(ctx, p, &appv1alpha1.AppServiceList{})
	go t.follow(ctx, p, &appsv1.DeploymentList{})
	go t.follow(ctx, p, &corev1.ServiceList{})
	return t
}

// follow watches one kind. A watch begins with what is there, so that it may be
// cut and begun again.
func (t *tracker) follow(ctx context.Context, p *plane, list client.ObjectList) {
	for ; ctx.Err() == nil; _ = sleep(ctx, 100*time.Millisecond) {
		watch, err := p.Watch(ctx, list, client.InNamespace(namespace))
		if err != nil {
			continue
		}
		for event := range watch.ResultChan() {
			if object, ok := event.Object.(client.Object); ok {
				t.note(object)
			}
		}
	}
}

func (t *tracker) note(object client.Object) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	known := t.objects[object.GetName()]
	if known == nil {
		known = &progress{}
		t.objects[object.GetName()] = known
	}
	before := t.converged(known)
	switch object := object.(type) {
	case *appv1alpha1.AppService:
		known.uid = object.UID
		known.replicas = object.Spec.Replicas
		known.current = object.Status.ObservedGeneration == object.Generation
	case *appsv1.Deployment:
		known.deploymentOwner = owner(object)
		known.deploymentReplicas = *object.Spec.Replicas
	case *corev1.Service:
		known.serviceOwner = owner(object)
	}
	switch after := t.converged(known); {
	case after && !before:
		t.ready++
	case before && !after:
		t.ready--
	}
	t.check()
}

func (t *tracker) check() {
	if t.done != nil && t.ready == t.wanted {
		t.done <- time.Now()
		t.done = nil
	}
}

// expect gives the time when so many objects have so many replicas.
func (t *tracker) expect(objects int, replicas int32) <-chan time.Time {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	t.wanted, t.replicas, t.ready = objects, replicas, 0
	for _, known := range t.objects {
		if t.converged(known) {
			t.ready++
		}
	}
	done := make(chan time.Time, 1)
	t.done = done
	t.check()
	return done
}

// String says how far it is.
func (t *tracker) String() string {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	return fmt.Sprintf("%d of %d objects converged", t.ready, t.wanted)
}

func owner(child metav1.Object) types.UID {
	if controller := metav1.GetControllerOf(child); controller != nil {
		return controller.UID
	}
	return ""
}
