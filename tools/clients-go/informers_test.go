package ratchet_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// counts are the events that a handler has seen.
type counts struct{ added, updated, deleted atomic.Int32 }

func (c *counts) handler() cache.ResourceEventHandlerFuncs {
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { c.added.Add(1) },
		UpdateFunc: func(any, any) { c.updated.Add(1) },
		DeleteFunc: func(any) { c.deleted.Add(1) },
	}
}

func TestInformersFollowBuiltInKinds(t *testing.T) {
	ctx, clients := t.Context(), kubernetes.NewForConfigOrDie(config)
	secrets := clients.CoreV1().Secrets("default")
	secret := func(number int) *corev1.Secret {
		return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("s%d", number), Labels: map[string]string{"set": "informers"}}}
	}
	for number := range 5 {
		if _, err := secrets.Create(ctx, secret(number), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	factory := informers.NewSharedInformerFactoryWithOptions(clients, 0, informers.WithNamespace("default"))
	informer, lister := factory.Core().V1().Secrets().Informer(), factory.Core().V1().Secrets().Lister()
	var seen counts
	if _, err := informer.AddEventHandler(seen.handler()); err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			t.Fatalf("%v is not synced", kind)
		}
	}
	mine := labels.SelectorFromSet(labels.Set{"set": "informers"})
	if found, err := lister.Secrets("default").List(mine); err != nil || len(found) != 5 {
		t.Fatalf("%d are cached, %v", len(found), err)
	}
	changed := secret(0)
	changed.StringData = map[string]string{"key": "value"}
	if _, err := secrets.Update(ctx, changed, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := secrets.Create(ctx, secret(5), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	selected := metav1.ListOptions{LabelSelector: mine.String()}
	if err := secrets.DeleteCollection(ctx, metav1.DeleteOptions{}, selected); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an event for each write", func(context.Context) bool {
		return seen.added.Load() == 6 && seen.updated.Load() == 1 && seen.deleted.Load() == 6
	})
}

func TestInformersFollowCustomResources(t *testing.T) {
	ctx, clients := t.Context(), dynamic.NewForConfigOrDie(config)
	resource := widgetKind.GroupVersion().WithResource("widgets")
	factory := dynamicinformer.NewDynamicSharedInformerFactory(clients, 0)
	var seen counts
	if _, err := factory.ForResource(resource).Informer().AddEventHandler(seen.handler()); err != nil {
		t.Fatal(err)
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	before := seen.added.Load()
	if _, err := clients.Resource(resource).Namespace("default").Create(ctx, widget("watched", map[string]any{}), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "an added object", func(context.Context) bool { return seen.added.Load() == before+1 })
	if err := clients.Resource(resource).Namespace("default").Delete(ctx, "watched", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a deleted object", func(context.Context) bool { return seen.deleted.Load() >= 1 })
}
