package ratchet_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	ctrl "sigs.k8s.io/controller-runtime"
)

func TestLeadershipPassesToTheNext(t *testing.T) {
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
	defer stopFirst()
	second, stopSecond := context.WithCancel(t.Context())
	defer stopSecond()
	go candidate(first, "first")
	eventually(t, "a first leader", func(context.Context) bool { return leader.Load() == "first" })
	go candidate(second, "second")
	stopFirst()
	eventually(t, "a second leader", func(context.Context) bool { return leader.Load() == "second" })
}

func TestOnlyOneManagerIsElected(t *testing.T) {
	elected := func() ctrl.Manager {
		return newManager(t, ctrl.Options{
			LeaderElection: true, LeaderElectionID: "managers", LeaderElectionNamespace: "default", LeaderElectionReleaseOnCancel: true,
			LeaseDuration: ptr(2 * time.Second), RenewDeadline: ptr(time.Second), RetryPeriod: ptr(100 * time.Millisecond),
		})
	}
	isElected := func(manager ctrl.Manager) bool {
		select {
		case <-manager.Elected():
			return true
		default:
			return false
		}
	}
	first, second := elected(), elected()
	stop := start(t, first)
	eventually(t, "the first election", func(context.Context) bool { return isElected(first) })
	start(t, second)
	time.Sleep(500 * time.Millisecond)
	if isElected(second) {
		t.Fatal("two managers are elected")
	}
	stop()
	eventually(t, "the second election", func(context.Context) bool { return isElected(second) })
}
