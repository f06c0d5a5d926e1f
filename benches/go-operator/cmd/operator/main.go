// Command operator is the controller-runtime operator that rop's is measured
// beside.
package main

import (
	"crypto/tls"
	"flag"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	webhookserver "sigs.k8s.io/controller-runtime/pkg/webhook"

	appv1alpha1 "rop/benches/go-operator/api/v1alpha1"
	"rop/benches/go-operator/internal/controller"
	"rop/benches/go-operator/internal/webhook"
)

func main() {
	probes := flag.String("health-probe-bind-address", ":8081", "where /healthz and /readyz are served")
	metrics := flag.String("metrics-bind-address", "0", "where metrics are served; 0 is nowhere")
	secure := flag.Bool("metrics-secure", true, "serve metrics over TLS, to who may read them")
	leaderElect := flag.Bool("leader-elect", false, "work only while holding the lease")
	leaseNamespace := flag.String("leader-elect-resource-namespace", "", "where the lease is; the operator's own namespace if empty")
	workers := flag.Int("max-concurrent-reconciles", 1, "how many objects are reconciled at the same time")
	recordEvents := flag.Bool("events", false, "record an event for each child that is written")
	apply := flag.Bool("apply", false, "apply children, and do not create and update them")
	webhookPort := flag.Int("webhook-port", 0, "where the webhook is served; 0 is nowhere")
	http2 := flag.Bool("enable-http2", false, "serve the webhook by HTTP/2 too")
	webhookCerts := flag.String("webhook-cert-path", "", "the folder of its certificate: tls.crt and tls.key")
	logging := zap.Options{}
	logging.BindFlags(flag.CommandLine)
	flag.Parse()
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&logging)))

	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(appv1alpha1.AddToScheme(scheme))
	// As kubebuilder has it.
	var tlsOptions []func(*tls.Config)
	if !*http2 {
		tlsOptions = append(tlsOptions, func(config *tls.Config) { config.NextProtos = []string{"http/1.1"} })
	}
	metricsOptions := metricsserver.Options{BindAddress: *metrics, SecureServing: *secure}
	if *secure {
		metricsOptions.FilterProvider = filters.WithAuthenticationAndAuthorization
	}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{
		WebhookServer: webhookserver.NewServer(webhookserver.Options{
			Port: *webhookPort, CertDir: *webhookCerts,
			TLSOpts: tlsOptions,
		}),
		Scheme:                        scheme,
		Metrics:                       metricsOptions,
		HealthProbeBindAddress:        *probes,
		LeaderElection:                *leaderElect,
		LeaderElectionID:              "go-operator.example.com",
		LeaderElectionNamespace:       *leaseNamespace,
		LeaderElectionReleaseOnCancel: true,
	})
	exitOn(err, "no manager")

	reconciler := &controller.AppServiceReconciler{Client: mgr.GetClient(), Apply: *apply, MaxConcurrentReconciles: *workers}
	if *recordEvents {
		reconciler.Recorder = mgr.GetEventRecorder("appservice")
	}
	exitOn(reconciler.SetupWithManager(mgr), "no controller")
	if *webhookPort != 0 {
		exitOn(webhook.SetupWithManager(mgr), "no webhook")
	}
	exitOn(mgr.AddHealthzCheck("healthz", healthz.Ping), "no health check")
	exitOn(mgr.AddReadyzCheck("readyz", healthz.Ping), "no ready check")
	exitOn(mgr.Start(ctrl.SetupSignalHandler()), "the manager failed")
}

func exitOn(err error, what string) {
	if err != nil {
		ctrl.Log.Error(err, what)
		os.Exit(1)
	}
}
