// Package controller makes the cluster what AppServices ask for.
package controller

import (
	"context"
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	appv1alpha1 "rop/benches/go-operator/api/v1alpha1"
)

// AppServiceReconciler reconciles AppServices.
type AppServiceReconciler struct {
	client.Client
	// Recorder, where there is one, tells of children that were written.
	Recorder events.EventRecorder
	// Apply has children applied, as rop's operator does, and not created and updated.
	Apply bool
	// MaxConcurrentReconciles is how many AppServices are worked on at a time.
	MaxConcurrentReconciles int
}

// SetupWithManager starts the controller with the manager.
func (r *AppServiceReconciler) SetupWithManager(mgr ctrl.Manager) error {
	return ctrl.NewControllerManagedBy(mgr).
		For(&appv1alpha1.AppService{}).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: r.MaxConcurrentReconciles}).
		Complete(r)
}

// Reconcile brings one AppService to its desired state and reports in its status.
func (r *AppServiceReconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	app := &appv1alpha1.AppService{}
	if err := r.Get(ctx, req.NamespacedName, app); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !app.DeletionTimestamp.IsZero() {
		// The garbage collector deletes the children: do not bring them back.
		return ctrl.Result{}, nil
	}

	deployment, err := r.applyChildren(ctx, app)
	if err != nil && !isRefusal(err) {
		return ctrl.Result{}, err
	}
	before := app.DeepCopy()
	setStatus(app, deployment, err)
	if !equality.Semantic.DeepEqual(before.Status, app.Status) {
		if err := r.Status().Patch(ctx, app, client.MergeFrom(before)); err != nil {
			return ctrl.Result{}, client.IgnoreNotFound(err)
		}
	}
	if err != nil {
		// It would be refused again: wait for a change of the object.
		return ctrl.Result{}, reconcile.TerminalError(err)
	}
	return ctrl.Result{}, nil
}

// applyChildren writes the children where they differ from what is desired, and
// returns the Deployment as it is now.
func (r *AppServiceReconciler) applyChildren(ctx context.Context, app *appv1alpha1.AppService) (*appsv1.Deployment, error) {
	deployment := &appsv1.Deployment{ObjectMeta: childMeta(app)}
	if err := r.write(ctx, app, deployment, func() { mutateDeployment(app, deployment) }); err != nil {
		return nil, err
	}

	service := &corev1.Service{ObjectMeta: childMeta(app)}
	if len(app.Spec.Ports) == 0 {
		return deployment, r.deleteOwned(ctx, app, service)
	}
	return deployment, r.write(ctx, app, service, func() { mutateService(app, service) })
}

// write brings a child to what mutate sets, where it differs.
func (r *AppServiceReconciler) write(ctx context.Context, app *appv1alpha1.AppService, child client.Object, mutate func()) error {
	write := controllerutil.CreateOrUpdate
	if r.Apply {
		write = apply
	}
	result, err := write(ctx, r.Client, child, func() error {
		mutate()
		return controllerutil.SetControllerReference(app, child, r.Scheme())
	})
	if err == nil && r.Recorder != nil {
		switch result {
		case controllerutil.OperationResultCreated:
			r.Recorder.Eventf(app, child, corev1.EventTypeNormal, "Created", "Create", "created %T %s", child, child.GetName())
		case controllerutil.OperationResultUpdated:
			r.Recorder.Eventf(app, child, corev1.EventTypeNormal, "Updated", "Update", "updated %T %s", child, child.GetName())
		}
	}
	return err
}

// apply is controllerutil.CreateOrUpdate by server-side apply: it sends what mutate
// sets alone.
func apply(ctx context.Context, c client.Client, child client.Object, mutate controllerutil.MutateFn) (controllerutil.OperationResult, error) {
	wanted := child.DeepCopyObject()
	result := controllerutil.OperationResultUpdated
	if err := c.Get(ctx, client.ObjectKeyFromObject(child), child); apierrors.IsNotFound(err) {
		result = controllerutil.OperationResultCreated
	} else if err != nil {
		return controllerutil.OperationResultNone, err
	}
	found := child.DeepCopyObject()
	if err := mutate(); err != nil {
		return controllerutil.OperationResultNone, err
	}
	if equality.Semantic.DeepEqual(found, child) {
		return controllerutil.OperationResultNone, nil
	}

	reflect.ValueOf(child).Elem().Set(reflect.ValueOf(wanted).Elem())
	if err := mutate(); err != nil {
		return controllerutil.OperationResultNone, err
	}
	kind, err := c.GroupVersionKindFor(child)
	if err != nil {
		return controllerutil.OperationResultNone, err
	}
	child.GetObjectKind().SetGroupVersionKind(kind)
	return result, c.Patch(ctx, child, client.Apply, client.FieldOwner("go-operator"), client.ForceOwnership)
}

// deleteOwned deletes a child where it is there and belongs to app.
func (r *AppServiceReconciler) deleteOwned(ctx context.Context, app *appv1alpha1.AppService, child client.Object) error {
	if err := r.Get(ctx, client.ObjectKeyFromObject(child), child); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !metav1.IsControlledBy(child, app) || !child.GetDeletionTimestamp().IsZero() {
		return nil
	}
	uid := child.GetUID()
	return client.IgnoreNotFound(r.Delete(ctx, child, client.Preconditions{UID: &uid}))
}

// isRefusal tells whether the API server would answer the same if asked again.
func isRefusal(err error) bool {
	return apierrors.IsInvalid(err) || apierrors.IsForbidden(err) || apierrors.IsBadRequest(err)
}
