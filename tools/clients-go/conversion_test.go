package ratchet_test

import (
	"fmt"
	"strconv"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/conversion"
)

// NewGauge is the stored version: its limit is a number.
type NewGauge struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		Limit int64 `json:"limit"`
	} `json:"spec"`
}

// OldGauge is the version before it: its limit is a text.
type OldGauge struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              struct {
		LimitText string `json:"limitText"`
	} `json:"spec"`
}

func (g *NewGauge) DeepCopyObject() runtime.Object {
	copied := *g
	g.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

func (g *OldGauge) DeepCopyObject() runtime.Object {
	copied := *g
	g.ObjectMeta.DeepCopyInto(&copied.ObjectMeta)
	return &copied
}

// Hub marks the version that all others are converted to.
func (g *NewGauge) Hub() {}

func (g *OldGauge) ConvertTo(hub conversion.Hub) (err error) {
	into := hub.(*NewGauge)
	into.ObjectMeta = g.ObjectMeta
	into.Spec.Limit, err = strconv.ParseInt(g.Spec.LimitText, 10, 64)
	return err
}

func (g *OldGauge) ConvertFrom(hub conversion.Hub) error {
	from := hub.(*NewGauge)
	g.ObjectMeta = from.ObjectMeta
	g.Spec.LimitText = fmt.Sprint(from.Spec.Limit)
	return nil
}

func addGauges(scheme *runtime.Scheme) {
	version := func(name string) schema.GroupVersionKind {
		return schema.GroupVersionKind{Group: "example.com", Version: name, Kind: "Gauge"}
	}
	scheme.AddKnownTypeWithName(version("v1"), &OldGauge{})
	scheme.AddKnownTypeWithName(version("v2"), &NewGauge{})
	for _, name := range []string{"v1", "v2"} {
		metav1.AddToGroupVersion(scheme, version(name).GroupVersion())
	}
}

// gauges defines both versions without a conversion: envtest adds the webhook, as it knows the types.
func gauges() *apiextensionsv1.CustomResourceDefinition {
	version := func(name, field, kind string, stored bool) apiextensionsv1.CustomResourceDefinitionVersion {
		spec := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{field: {Type: kind}}}
		whole := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": spec}}
		return apiextensionsv1.CustomResourceDefinitionVersion{
			Name: name, Served: true, Storage: stored, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &whole},
		}
	}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "gauges.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group:    "example.com",
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: "gauges", Singular: "gauge", Kind: "Gauge", ListKind: "GaugeList"},
			Scope:    apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version("v1", "limitText", "string", false), version("v2", "limit", "integer", true)},
		},
	}
}

func TestVersionsAreConvertedByAManager(t *testing.T) {
	manager := newManager(t, ctrl.Options{})
	if err := ctrl.NewWebhookManagedBy(manager, &NewGauge{}).Complete(); err != nil {
		t.Fatal(err)
	}
	start(t, manager)
	serveWebhooks(t)
	ctx, direct := t.Context(), direct(t)
	written := &OldGauge{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "gauge"}}
	written.Spec.LimitText = "41"
	if err := direct.Create(ctx, written); err != nil {
		t.Fatal(err)
	}
	stored := &NewGauge{}
	if err := direct.Get(ctx, client.ObjectKeyFromObject(written), stored); err != nil || stored.Spec.Limit != 41 {
		t.Fatalf("not converted: %v, %v", err, stored.Spec)
	}
	stored.Spec.Limit++
	if err := direct.Update(ctx, stored); err != nil {
		t.Fatal(err)
	}
	if err := direct.Get(ctx, client.ObjectKeyFromObject(written), written); err != nil || written.Spec.LimitText != "42" {
		t.Fatalf("not converted back: %v, %v", err, written.Spec)
	}
	// What the conversion cannot convert is refused in its words.
	written.Spec.LimitText = "many"
	if err := direct.Update(ctx, written); err == nil {
		t.Fatal("converted what is no number")
	}
}
