// Package ratchet_test runs what controllers are made of on controller-runtime's envtest with ratchet's binaries.
package ratchet_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
)

var (
	scheme = runtime.NewScheme()
	// env has everything installed that the tests need; they use names of their own in the namespace default.
	env = &envtest.Environment{
		Scheme: scheme,
		CRDs:   []*apiextensionsv1.CustomResourceDefinition{widgets(), gauges()},
		WebhookInstallOptions: envtest.WebhookInstallOptions{
			MutatingWebhooks:   []*admissionv1.MutatingWebhookConfiguration{mutating()},
			ValidatingWebhooks: []*admissionv1.ValidatingWebhookConfiguration{validating()},
		},
	}
	config *rest.Config
)

func TestMain(m *testing.M) {
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	addGauges(scheme)
	ctrl.SetLogger(zap.New(zap.UseDevMode(true)))
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if config, err = env.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	code := m.Run()
	if err := env.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func ptr[T any](value T) *T { return &value }

// direct is a client without a cache.
func direct(t *testing.T) client.Client {
	t.Helper()
	made, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// newManager is a manager that serves webhooks where envtest has told the API server to look for them.
func newManager(t *testing.T, options ctrl.Options) ctrl.Manager {
	t.Helper()
	served := env.WebhookInstallOptions
	options.Scheme = scheme
	options.Metrics = metricsserver.Options{BindAddress: "0"}
	options.WebhookServer = webhook.NewServer(webhook.Options{
		Host: served.LocalServingHost, Port: served.LocalServingPort, CertDir: served.LocalServingCertDir,
	})
	manager, err := ctrl.NewManager(config, options)
	if err != nil {
		t.Fatal(err)
	}
	return manager
}

// start runs a manager until the returned function is called, which the test's end does as well.
func start(t *testing.T, manager ctrl.Manager) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- manager.Start(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// eventually waits for something that another process or goroutine brings about.
func eventually(t *testing.T, what string, holds func(context.Context) bool) {
	t.Helper()
	condition := func(ctx context.Context) (bool, error) { return holds(ctx), nil }
	if err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, 30*time.Second, true, condition); err != nil {
		t.Fatalf("%s did not happen: %v", what, err)
	}
}
