package ratchet_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

const finalizer = "example.com/cleanup"

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

// widgets defines a custom resource with a status, a default and a rule.
func widgets() *apiextensionsv1.CustomResourceDefinition {
	properties := map[string]apiextensionsv1.JSONSchemaProps{
		"size": {Type: "integer", Minimum: ptr(1.0), Default: &apiextensionsv1.JSON{Raw: []byte("3")}},
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: widgetKind.Group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name:         "v1",
				Served:       true,
				Storage:      true,
				Subresources: &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}},
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object",
					Properties: map[string]apiextensionsv1.JSONSchemaProps{
						"spec": {
							Type:       "object",
							Properties: properties,
							XValidations: apiextensionsv1.ValidationRules{
								{Rule: "self.size < 100", Message: "too large"},
							},
						},
						"status": {Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"ready": {Type: "boolean"}}},
					},
				}},
			}},
		},
	}
}

func widget(name string, spec map[string]any) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	object.SetGroupVersionKind(widgetKind)
	object.SetNamespace("default")
	object.SetName(name)
	return object
}

// reconciler gives every widget a finalizer, a ConfigMap that it applies, and a status.
type reconciler struct{ client.Client }

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	object := widget(request.Name, nil)
	if err := r.Get(ctx, request.NamespacedName, object); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !object.GetDeletionTimestamp().IsZero() {
		controllerutil.RemoveFinalizer(object, finalizer)
		return ctrl.Result{}, r.Update(ctx, object)
	}
	if controllerutil.AddFinalizer(object, finalizer) {
		if err := r.Update(ctx, object); err != nil {
			return ctrl.Result{}, err
		}
	}
	owner := applymetav1.OwnerReference().
		WithAPIVersion(widgetKind.GroupVersion().String()).WithKind(widgetKind.Kind).
		WithName(object.GetName()).WithUID(object.GetUID()).WithController(true)
	owned := applycorev1.ConfigMap(request.Name, request.Namespace).
		WithOwnerReferences(owner).WithData(map[string]string{"widget": request.Name})
	if err := r.Apply(ctx, owned, client.FieldOwner("widgets"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	if ready, _, _ := unstructured.NestedBool(object.Object, "status", "ready"); ready {
		return ctrl.Result{}, nil
	}
	if err := unstructured.SetNestedField(object.Object, true, "status", "ready"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, r.Status().Update(ctx, object)
}

func TestManagerReconcilesACustomResource(t *testing.T) {
	manager := newManager(t, ctrl.Options{})
	watched := widget("", nil)
	if err := ctrl.NewControllerManagedBy(manager).For(watched).Owns(&corev1.ConfigMap{}).Complete(&reconciler{manager.GetClient()}); err != nil {
		t.Fatal(err)
	}
	start(t, manager)
	ctx, direct := t.Context(), direct(t)
	if err := direct.Create(ctx, widget("large", map[string]any{"size": int64(100)})); !apierrors.IsInvalid(err) {
		t.Fatalf("a rule was broken: %v", err)
	}
	if err := direct.Create(ctx, widget("one", map[string]any{})); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKey{Namespace: "default", Name: "one"}
	eventually(t, "a status", func(ctx context.Context) bool {
		object := widget("one", nil)
		if direct.Get(ctx, key, object) != nil {
			return false
		}
		ready, _, _ := unstructured.NestedBool(object.Object, "status", "ready")
		size, _, _ := unstructured.NestedInt64(object.Object, "spec", "size")
		return ready && size == 3 && controllerutil.ContainsFinalizer(object, finalizer)
	})
	owned := &corev1.ConfigMap{}
	if err := direct.Get(ctx, key, owned); err != nil || owned.Data["widget"] != "one" {
		t.Fatalf("the reconciler applied no ConfigMap: %v, %v", err, owned.Data)
	}
	if err := direct.Delete(ctx, widget("one", nil)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of what it owned", func(ctx context.Context) bool {
		return apierrors.IsNotFound(direct.Get(ctx, key, &corev1.ConfigMap{}))
	})
}
