//go:build tools

// Package helm pins Helm. It is never compiled: the import only keeps go.mod and go.sum complete for it.
package helm

import _ "helm.sh/helm/v4/cmd/helm"
