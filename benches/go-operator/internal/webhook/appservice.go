// Package webhook judges objects as the webhook that rop generates does.
package webhook

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	appv1alpha1 "rop/benches/go-operator/api/v1alpha1"
)

// createdBy is the annotation that says who created an object.
const createdBy = "example.com/created-by"

// validator lets nobody create an object in the name of somebody else.
type validator struct{}

// SetupWithManager serves the webhook of AppServices.
func SetupWithManager(mgr ctrl.Manager) error {
	return builder.WebhookManagedBy(mgr, &appv1alpha1.AppService{}).WithValidator(validator{}).Complete()
}

func (validator) ValidateCreate(ctx context.Context, object *appv1alpha1.AppService) (admission.Warnings, error) {
	request, err := admission.RequestFromContext(ctx)
	if err != nil {
		return nil, err
	}
	if user, found := object.Annotations[createdBy]; found && user != request.UserInfo.Username {
		return nil, invalid(object, field.Invalid(path(), user, "must be who creates the object"))
	}
	return nil, nil
}

func (validator) ValidateUpdate(_ context.Context, before, object *appv1alpha1.AppService) (admission.Warnings, error) {
	if user, found := object.Annotations[createdBy]; found && user != before.Annotations[createdBy] {
		return nil, invalid(object, field.Forbidden(path(), "cannot be changed"))
	}
	return nil, nil
}

func (validator) ValidateDelete(context.Context, *appv1alpha1.AppService) (admission.Warnings, error) {
	return nil, nil
}

func path() *field.Path { return field.NewPath("metadata", "annotations").Key(createdBy) }

func invalid(object *appv1alpha1.AppService, err *field.Error) error {
	kind := appv1alpha1.GroupVersion.WithKind("AppService").GroupKind()
	return apierrors.NewInvalid(kind, object.Name, field.ErrorList{err})
}
