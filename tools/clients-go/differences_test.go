package ratchet_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

// deleteNamespace makes a namespace and deletes it; returns whether it is gone.
func deleteNamespace(t *testing.T, clients kubernetes.Interface, name string) func(context.Context) bool {
	t.Helper()
	ctx, namespaces := t.Context(), clients.CoreV1().Namespaces()
	if _, err := namespaces.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := namespaces.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	return func(ctx context.Context) bool {
		_, err := namespaces.Get(ctx, name, metav1.GetOptions{})
		return apierrors.IsNotFound(err)
	}
}

func TestControllersOfTheServerRun(t *testing.T) {
	clients := kubernetes.NewForConfigOrDie(config)
	eventually(t, "a service account", func(ctx context.Context) bool {
		_, err := clients.CoreV1().ServiceAccounts("default").Get(ctx, "default", metav1.GetOptions{})
		return err == nil
	})
	eventually(t, "a certificate of the authority", func(ctx context.Context) bool {
		_, err := clients.CoreV1().ConfigMaps("default").Get(ctx, "kube-root-ca.crt", metav1.GetOptions{})
		return err == nil
	})
	eventually(t, "the end of a namespace", deleteNamespace(t, clients, "going"))
}

func TestControllersOfTheServerCanBeTurnedOff(t *testing.T) {
	own := &envtest.Environment{}
	own.ControlPlane.GetAPIServer().Configure().Set("controllers", "").Set("data-dir", ":memory:")
	config, err := own.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := own.Stop(); err != nil {
			t.Error(err)
		}
	})
	isGone := deleteNamespace(t, kubernetes.NewForConfigOrDie(config), "staying")
	time.Sleep(time.Second)
	if isGone(t.Context()) {
		t.Fatal("a controller ran")
	}
	// Users that envtest adds are known, and may do what roles grant them.
	jane, err := own.AddUser(envtest.User{Name: "jane", Groups: []string{"developers"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = kubernetes.NewForConfigOrDie(jane.Config()).CoreV1().Secrets("default").List(t.Context(), metav1.ListOptions{})
	if !apierrors.IsForbidden(err) {
		t.Fatalf("not forbidden: %v", err)
	}
}
