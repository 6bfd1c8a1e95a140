package ratchet_test

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"strconv"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// The webhooks are called for ConfigMaps with this label only, so that other tests need none.
var hooked = map[string]string{"hooked": "yes"}

func rules(operations ...admissionv1.OperationType) []admissionv1.RuleWithOperations {
	rule := admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"configmaps"}}
	return []admissionv1.RuleWithOperations{{Operations: operations, Rule: rule}}
}

// at is a path of a Service, as a deployed webhook has it; envtest puts the address in its place.
func at(path string) admissionv1.WebhookClientConfig {
	service := admissionv1.ServiceReference{Namespace: "default", Name: "hooks", Path: &path}
	return admissionv1.WebhookClientConfig{Service: &service}
}

func mutating() *admissionv1.MutatingWebhookConfiguration {
	return &admissionv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "mutating"},
		Webhooks: []admissionv1.MutatingWebhook{{
			Name: "mutating.example.com", ClientConfig: at("/mutate--v1-configmap"), Rules: rules(admissionv1.Create, admissionv1.Update),
			ObjectSelector: &metav1.LabelSelector{MatchLabels: hooked}, FailurePolicy: ptr(admissionv1.Fail),
			SideEffects: ptr(admissionv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

func validating() *admissionv1.ValidatingWebhookConfiguration {
	return &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "validating"},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name: "validating.example.com", ClientConfig: at("/validate--v1-configmap"), Rules: rules(admissionv1.OperationAll),
			ObjectSelector: &metav1.LabelSelector{MatchLabels: hooked}, FailurePolicy: ptr(admissionv1.Fail),
			SideEffects: ptr(admissionv1.SideEffectClassNone), AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

// hooks gives a ConfigMap a default, forbids one value, an update that removes the default, and the deletion of what is kept.
type hooks struct{}

func (hooks) Default(_ context.Context, object *corev1.ConfigMap) error {
	if object.Data == nil {
		object.Data = map[string]string{"color": "green"}
	}
	return nil
}

func (hooks) ValidateCreate(_ context.Context, object *corev1.ConfigMap) (admission.Warnings, error) {
	switch object.Data["color"] {
	case "red":
		return nil, errors.New("red is not allowed")
	case "yellow":
		return admission.Warnings{"yellow will not be allowed"}, nil
	}
	return nil, nil
}

func (hooks) ValidateUpdate(_ context.Context, before, after *corev1.ConfigMap) (admission.Warnings, error) {
	if before.Data["color"] != after.Data["color"] {
		return nil, errors.New("the color stays")
	}
	return nil, nil
}

func (hooks) ValidateDelete(_ context.Context, object *corev1.ConfigMap) (admission.Warnings, error) {
	if object.Data["keep"] != "" {
		return nil, errors.New("it is kept")
	}
	return nil, nil
}

// serveWebhooks waits until the server of a started manager accepts connections.
func serveWebhooks(t *testing.T) {
	t.Helper()
	served := env.WebhookInstallOptions
	address := net.JoinHostPort(served.LocalServingHost, strconv.Itoa(served.LocalServingPort))
	eventually(t, "a webhook server", func(context.Context) bool {
		connection, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec
		return err == nil && connection.Close() == nil
	})
}

// warnings collects the warnings of answers.
type warnings struct{ texts []string }

func (w *warnings) HandleWarningHeader(_ int, _ string, text string) { w.texts = append(w.texts, text) }

func TestWebhooksOfAManagerAreCalled(t *testing.T) {
	object := func(name string, data map[string]string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: hooked}, Data: data}
	}
	ctx, seen := t.Context(), &warnings{}
	warned := rest.CopyConfig(config)
	warned.WarningHandler = seen
	direct, err := client.New(warned, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	if err := direct.Create(ctx, object("early", nil)); !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), `failed calling webhook "mutating.example.com"`) {
		t.Fatalf("a webhook that nobody serves was passed by: %v", err)
	}
	manager := newManager(t, ctrl.Options{})
	if err := ctrl.NewWebhookManagedBy(manager, &corev1.ConfigMap{}).WithDefaulter(hooks{}).WithValidator(hooks{}).Complete(); err != nil {
		t.Fatal(err)
	}
	start(t, manager)
	serveWebhooks(t)
	green := object("green", nil)
	if err := direct.Create(ctx, green); err != nil || green.Data["color"] != "green" {
		t.Fatalf("no default: %v, %v", err, green.Data)
	}
	refused := func(err error, why string) {
		t.Helper()
		if want := `admission webhook "validating.example.com" denied the request: ` + why; !apierrors.IsForbidden(err) || err.Error() != want {
			t.Fatalf("not refused as %q: %v", want, err)
		}
	}
	refused(direct.Create(ctx, object("red", map[string]string{"color": "red"})), "red is not allowed")
	refused(direct.Update(ctx, object("green", map[string]string{"color": "blue"})), "the color stays")
	refused(direct.Patch(ctx, object("green", nil), client.RawPatch("application/merge-patch+json", []byte(`{"data":{"color":"blue"}}`))), "the color stays")
	if err := direct.Create(ctx, object("yellow", map[string]string{"color": "yellow", "keep": "yes"})); err != nil {
		t.Fatal(err)
	}
	if len(seen.texts) != 1 || seen.texts[0] != "yellow will not be allowed" {
		t.Fatal(seen.texts)
	}
	refused(direct.Delete(ctx, object("yellow", nil)), "it is kept")
	if err := direct.Delete(ctx, object("green", nil)); err != nil {
		t.Fatal(err)
	}
}
