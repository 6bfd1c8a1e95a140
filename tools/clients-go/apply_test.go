package ratchet_test

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	applyappsv1 "k8s.io/client-go/applyconfigurations/apps/v1"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	applymetav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// deployment is what one manager applies, with the containers that it cares for.
func deployment(containers ...*applycorev1.ContainerApplyConfiguration) *applyappsv1.DeploymentApplyConfiguration {
	labels := map[string]string{"app": "applied"}
	template := applycorev1.PodTemplateSpec().WithLabels(labels).WithSpec(applycorev1.PodSpec().WithContainers(containers...))
	return applyappsv1.Deployment("applied", "default").
		WithSpec(applyappsv1.DeploymentSpec().WithSelector(applymetav1.LabelSelector().WithMatchLabels(labels)).WithTemplate(template))
}

func container(name, image string) *applycorev1.ContainerApplyConfiguration {
	return applycorev1.Container().WithName(name).WithImage(image)
}

func names(object *appsv1.Deployment) (found []string) {
	for _, container := range object.Spec.Template.Spec.Containers {
		found = append(found, container.Name)
	}
	slices.Sort(found)
	return found
}

func TestManagersApplyPartsOfOneObject(t *testing.T) {
	ctx, deployments := t.Context(), kubernetes.NewForConfigOrDie(config).AppsV1().Deployments("default")
	by := func(manager string) metav1.ApplyOptions { return metav1.ApplyOptions{FieldManager: manager} }
	if _, err := deployments.Apply(ctx, deployment(container("web", "web:1"), container("old", "old:1")), by("team")); err != nil {
		t.Fatal(err)
	}
	if _, err := deployments.Apply(ctx, deployment(container("proxy", "proxy:1")), by("mesh")); err != nil {
		t.Fatal(err)
	}
	conflicting := deployment(container("web", "web:2"))
	_, err := deployments.Apply(ctx, conflicting, by("mesh"))
	if !apierrors.IsConflict(err) || !strings.Contains(err.Error(), `conflict with "team"`) {
		t.Fatalf("no conflict: %v", err)
	}
	// What a manager leaves out goes, what others own stays.
	object, err := deployments.Apply(ctx, deployment(container("web", "web:1")), by("team"))
	if err != nil {
		t.Fatal(err)
	}
	if found := names(object); !slices.Equal(found, []string{"proxy", "web"}) {
		t.Fatal(found)
	}
	// What a manager has applied can be read back, changed and applied again.
	extracted, err := applyappsv1.ExtractDeployment(object, "team")
	if err != nil {
		t.Fatal(err)
	}
	if owned := extracted.Spec.Template.Spec.Containers; len(owned) != 1 || *owned[0].Name != "web" {
		t.Fatalf("%d containers are extracted", len(owned))
	}
	extracted.Spec.Template.Spec.Containers[0].WithImage("web:3")
	if object, err = deployments.Apply(ctx, extracted, by("team")); err != nil {
		t.Fatal(err)
	}
	before := object.ResourceVersion
	if object, err = deployments.Apply(ctx, extracted, by("team")); err != nil || object.ResourceVersion != before {
		t.Fatalf("the same apply again wrote: %v", err)
	}
	forced := metav1.ApplyOptions{FieldManager: "mesh", Force: true}
	if object, err = deployments.Apply(ctx, conflicting, forced); err != nil {
		t.Fatal(err)
	}
	// It owns the image now, and has given up its own container.
	if found := names(object); !slices.Equal(found, []string{"web"}) || object.Spec.Template.Spec.Containers[0].Image != "web:2" {
		t.Fatal(object.Spec.Template.Spec.Containers)
	}
}

func TestCustomResourcesAreApplied(t *testing.T) {
	ctx, direct := t.Context(), direct(t)
	apply := func(size int64, owner string, options ...client.ApplyOption) error {
		object := widget("applied", map[string]any{"size": size})
		options = append(options, client.FieldOwner(owner))
		return direct.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), options...)
	}
	if err := apply(5, "one"); err != nil {
		t.Fatal(err)
	}
	if err := apply(6, "two"); !apierrors.IsConflict(err) {
		t.Fatalf("no conflict: %v", err)
	}
	if err := apply(6, "two", client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	if err := apply(500, "two"); !apierrors.IsInvalid(err) {
		t.Fatalf("a rule was broken: %v", err)
	}
}
