// Package ratchet_test runs controllers, informers and a leader election on envtest with ratchet's binaries.
package ratchet_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

const finalizer = "example.com/cleanup"

var widgetKind = schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"}

func ptr[T any](value T) *T { return &value }

// definition is a custom resource with a status, a default and a rule.
func definition() *apiextensionsv1.CustomResourceDefinition {
	properties := map[string]apiextensionsv1.JSONSchemaProps{
		"size": {Type: "integer", Minimum: ptr(1.0), Default: &apiextensionsv1.JSON{Raw: []byte("3")}},
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com",
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

// eventually waits for something that a controller brings about.
func eventually(t *testing.T, what string, holds func(context.Context) bool) {
	t.Helper()
	condition := func(ctx context.Context) (bool, error) { return holds(ctx), nil }
	if err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 30*time.Second, true, condition); err != nil {
		t.Fatalf("%s did not happen: %v", what, err)
	}
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
	owned := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: request.Namespace, Name: request.Name},
		Data:       map[string]string{"widget": request.Name},
	}
	if err := controllerutil.SetControllerReference(object, owned, r.Scheme()); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.Patch(ctx, owned, client.Apply, client.FieldOwner("widgets"), client.ForceOwnership); err != nil { //nolint:staticcheck
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

func TestRatchetInPlaceOfEnvtest(t *testing.T) {
	env := &envtest.Environment{CRDs: []*apiextensionsv1.CustomResourceDefinition{definition()}}
	config, err := env.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	}()

	t.Run("controller", func(t *testing.T) {
		manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: metricsserver.Options{BindAddress: "0"}})
		if err != nil {
			t.Fatal(err)
		}
		watched := widget("", nil)
		if err := ctrl.NewControllerManagedBy(manager).For(watched).Owns(&corev1.ConfigMap{}).Complete(&reconciler{manager.GetClient()}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- manager.Start(ctx) }()
		defer func() {
			cancel()
			if err := <-done; err != nil {
				t.Error(err)
			}
		}()
		direct, err := client.New(config, client.Options{})
		if err != nil {
			t.Fatal(err)
		}
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
		if err := direct.Delete(ctx, widget("one", nil)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the end of what it owned", func(ctx context.Context) bool {
			return apierrors.IsNotFound(direct.Get(ctx, key, &corev1.ConfigMap{}))
		})
	})

	t.Run("informers", func(t *testing.T) {
		clients := kubernetes.NewForConfigOrDie(config)
		factory := informers.NewSharedInformerFactory(clients, 0)
		var added, deleted atomic.Int32
		secrets := factory.Core().V1().Secrets().Informer()
		if _, err := secrets.AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    func(any) { added.Add(1) },
			DeleteFunc: func(any) { deleted.Add(1) },
		}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}}
		if _, err := clients.CoreV1().Secrets("default").Create(ctx, secret, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "an added object", func(context.Context) bool { return added.Load() == 1 })
		if err := clients.CoreV1().Secrets("default").Delete(ctx, "s", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "a deleted object", func(context.Context) bool { return deleted.Load() == 1 })
	})

	t.Run("leader election", func(t *testing.T) {
		clients := kubernetes.NewForConfigOrDie(config)
		var leader atomic.Value
		candidate := func(ctx context.Context, name string) {
			lock := &resourcelock.LeaseLock{
				LeaseMeta:  metav1.ObjectMeta{Namespace: "default", Name: "election"},
				Client:     clients.CoordinationV1(),
				LockConfig: resourcelock.ResourceLockConfig{Identity: name},
			}
			leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
				Lock: lock, LeaseDuration: 2 * time.Second, RenewDeadline: time.Second, RetryPeriod: 100 * time.Millisecond, ReleaseOnCancel: true,
				Callbacks: leaderelection.LeaderCallbacks{
					OnStartedLeading: func(context.Context) { leader.Store(name) },
					OnStoppedLeading: func() {},
				},
			})
		}
		first, stopFirst := context.WithCancel(t.Context())
		second, stopSecond := context.WithCancel(t.Context())
		defer stopSecond()
		go candidate(first, "first")
		eventually(t, "a first leader", func(context.Context) bool { return leader.Load() == "first" })
		go candidate(second, "second")
		stopFirst()
		eventually(t, "a second leader", func(context.Context) bool { return leader.Load() == "second" })
	})
}
