//go:build tools

// Package controlplane pins the programs of a Kubernetes control plane. It is
// never compiled: the imports only keep go.mod and go.sum complete for them.
package controlplane

import (
	_ "go.etcd.io/etcd/server/v3"
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
