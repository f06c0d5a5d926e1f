package main

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appv1alpha1 "rop/benches/go-operator/api/v1alpha1"
)

// administrator is the name of the harness.
const administrator = "admin"

// token is what the harness shows: other users of the machine cannot guess it.
var token = rand.Text()

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules: [{level: Metadata}]
`

// The audit log is counted from where it was left, so it must not be rotated.
const apiServerFlags = `--etcd-servers=unix://etcd.sock --cert-dir=.
--bind-address=127.0.0.1 --endpoint-reconciler-type=none
--service-account-key-file=apiserver.key --service-account-signing-key-file=apiserver.key
--service-account-issuer=https://localhost --token-auth-file=tokens.csv
--authorization-mode=RBAC --allow-privileged --service-cluster-ip-range=10.0.0.0/12
--disable-admission-plugins=ServiceAccount --shutdown-watch-termination-grace-period=1s
--audit-policy-file=audit-policy.yaml --audit-log-path=audit.log --audit-log-maxsize=100000`

// plane is a control plane of etcd and kube-apiserver alone: without controllers
// the operators' own work is all there is.
type plane struct {
	client.WithWatch
	etcd, apiServer *process
	dir, assets     string
	port            int
}

// startPlane starts one with nothing in it. Whatever it returns is to be stopped.
func startPlane(ctx context.Context, assets, dir string) (*plane, error) {
	p := &plane{dir: dir, assets: assets}
	for name, content := range map[string]string{
		"tokens.csv":        token + "," + administrator + ",admin,system:masters\n",
		"audit-policy.yaml": auditPolicy,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			return p, err
		}
	}

	var err error
	p.etcd, err = start(dir, "etcd", filepath.Join(assets, "etcd"), nil,
		"--data-dir=etcd", "--listen-client-urls=unix://etcd.sock", "--unsafe-no-fsync",
		// Room for 100,000 objects and what was written of them in the last minutes.
		"--quota-backend-bytes=8589934592",
		"--advertise-client-urls=http://127.0.0.1:1", "--listen-peer-urls=http://127.0.0.1:0")
	if err != nil {
		return p, err
	}
	err = p.await(ctx, p.etcd, func() bool {
		connection, err := net.Dial("unix", filepath.Join(dir, "etcd.sock"))
		if err != nil {
			return false
		}
		return connection.Close() == nil
	})
	if err != nil {
		return p, err
	}

	if p.port, err = freePort(); err != nil {
		return p, err
	}
	flags := append(strings.Fields(apiServerFlags), fmt.Sprintf("--secure-port=%d", p.port))
	p.apiServer, err = start(dir, "kube-apiserver", filepath.Join(assets, "kube-apiserver"), nil, flags...)
	if err != nil {
		return p, err
	}
	// It says that it is ready before it has made this namespace.
	err = p.await(ctx, p.apiServer, func() bool { return p.answers("/readyz") && p.answers("/api/v1/namespaces/default") })
	if err != nil {
		return p, err
	}
	if err := p.writeKubeconfig(administrator, "default", token); err != nil {
		return p, err
	}
	p.WithWatch, err = p.connect()
	return p, err
}

func (p *plane) stop() {
	for _, server := range []*process{p.apiServer, p.etcd} {
		if server != nil {
			server.stop()
		}
	}
}

// connect gives the administrator's client, which nothing slows down.
func (p *plane) connect() (client.WithWatch, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), appv1alpha1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	config := &rest.Config{Host: p.url(), BearerToken: token, QPS: -1}
	config.CAFile = filepath.Join(p.dir, "apiserver.crt")
	return client.NewWithWatch(config, client.Options{Scheme: scheme})
}

func (p *plane) url() string { return fmt.Sprintf("https://127.0.0.1:%d", p.port) }

// install applies a file, or a folder of kustomize, and waits until CRDs are served.
func (p *plane) install(path string) error {
	flag := "-f"
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		flag = "-k"
	}
	if err := p.kubectl("apply", "--server-side", flag, path); err != nil {
		return err
	}
	return p.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=60s")
}

func (p *plane) kubectl(args ...string) error {
	cmd := exec.Command(filepath.Join(p.assets, "kubectl"), args...)
	cmd.Env = []string{"HOME=" + p.dir, "KUBECONFIG=" + p.kubeconfig(administrator)}
	output, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("kubectl %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}

// serviceAccount writes a kubeconfig with a token of a service account, and
// returns its path.
func (p *plane) serviceAccount(ctx context.Context, namespace, name string) (string, error) {
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	request := &authenticationv1.TokenRequest{}
	if err := p.SubResource("token").Create(ctx, account, request); err != nil {
		return "", fmt.Errorf("a token for %s/%s: %w", namespace, name, err)
	}
	return p.kubeconfig(name), p.writeKubeconfig(name, namespace, request.Status.Token)
}

func (p *plane) kubeconfig(name string) string { return filepath.Join(p.dir, name+".kubeconfig") }

func (p *plane) writeKubeconfig(name, namespace, token string) error {
	type object = map[string]any
	config, err := json.Marshal(object{
		"apiVersion": "v1", "kind": "Config", "current-context": "load",
		"contexts": []object{{"name": "load", "context": object{"cluster": "load", "user": name, "namespace": namespace}}},
		"users":    []object{{"name": name, "user": object{"token": token}}},
		"clusters": []object{{"name": "load", "cluster": object{
			"server": p.url(), "certificate-authority": filepath.Join(p.dir, "apiserver.crt"),
		}}},
	})
	if err != nil {
		return err
	}
	return os.WriteFile(p.kubeconfig(name), config, 0o600)
}

// answers tells whether the administrator can read a path of the API server.
func (p *plane) answers(path string) bool {
	// Its certificate is written while it starts, and only loopback is listened to.
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}
	request, err := http.NewRequest(http.MethodGet, p.url()+path, nil)
	if err != nil {
		return false
	}
	request.Header.Set("Authorization", "Bearer "+token)
	response, err := (&http.Client{Transport: transport, Timeout: 5 * time.Second}).Do(request)
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// await polls until a server is ready.
func (p *plane) await(ctx context.Context, server *process, ready func() bool) error {
	deadline := time.Now().Add(2 * time.Minute)
	for !ready() {
		if server.hasEnded() || time.Now().After(deadline) {
			log, _ := os.ReadFile(filepath.Join(p.dir, server.name+".log"))
			return fmt.Errorf("%s did not get ready; its log ends with:\n%s", server.name, log[max(0, len(log)-4000):])
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

func freePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port, nil
}

// sleep waits, unless we are to end.
func sleep(ctx context.Context, wait time.Duration) error {
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(wait):
		return nil
	}
}
