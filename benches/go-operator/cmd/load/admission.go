package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	appv1alpha1 "rop/benches/go-operator/api/v1alpha1"
)

const (
	// rate and lasts are the reviews a second, and for how long.
	rate, lasts = 1000, 10 * time.Second
	// refusedEach is which of the reviews are to be refused.
	refusedEach = 10
	webhookPath = "/validate-app-example-com-v1alpha1-appservice"
	user        = "alice"
)

// objectsAreJudged calls the operator's webhook as an API server does.
func (o *options) objectsAreJudged(ctx context.Context, s *subject) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	folder := filepath.Join(s.plane.dir, "webhook")
	authority, err := writeCertificate(folder)
	if err != nil {
		return err
	}
	s.more = []string{fmt.Sprintf("--webhook-port=%d", port), "--webhook-cert-path=" + folder}
	if o.http2 && s.key != "rop" {
		// rop's operators serve both, always.
		s.more = append(s.more, "--enable-http2")
	}
	if err := s.launch(); err != nil {
		return err
	}
	caller := o.newCaller(port, authority)
	deadline := time.Now().Add(time.Minute)
	for caller.judge(ctx, 1) != nil {
		if s.hasEnded() || time.Now().After(deadline) {
			return s.failure("its webhook does not answer")
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
	return s.add(ctx, admission, func() (time.Time, error) {
		s.latencies, err = caller.judgeAll(ctx)
		return time.Now(), err
	})
}

// caller calls one webhook.
type caller struct {
	client http.Client
	url    string
	// callers wait for answers at the same time.
	callers int
	// version of HTTP that answers have.
	version int
}

func (o *options) newCaller(port int, authority *x509.CertPool) *caller {
	transport := &http.Transport{
		TLSClientConfig:     &tls.Config{RootCAs: authority},
		ForceAttemptHTTP2:   o.http2,
		MaxIdleConnsPerHost: o.connections,
	}
	version := 1
	if o.http2 {
		version = 2
	} else {
		transport.MaxConnsPerHost = o.connections
	}
	return &caller{
		client:  http.Client{Transport: transport, Timeout: 10 * time.Second},
		url:     fmt.Sprintf("https://127.0.0.1:%d%s", port, webhookPath),
		callers: o.connections,
		version: version,
	}
}

// judgeAll sends reviews at the rate, whether earlier ones are answered or not. A latency begins when the review was
// due, so one that had to wait for a caller counts in full.
func (c *caller) judgeAll(ctx context.Context) ([]time.Duration, error) {
	total := int(lasts.Seconds() * rate)
	latencies, failures := make([]time.Duration, total), make([]error, total)
	due := make(chan int, total)
	begin := time.Now()
	at := func(number int) time.Time { return begin.Add(time.Duration(number) * time.Second / rate) }
	var calling sync.WaitGroup
	for range c.callers {
		calling.Go(func() {
			for number := range due {
				failures[number] = c.judge(ctx, number)
				latencies[number] = time.Since(at(number))
			}
		})
	}
	for number := range total {
		time.Sleep(time.Until(at(number)))
		due <- number
	}
	close(due)
	calling.Wait()
	slices.Sort(latencies)
	return latencies, errors.Join(failures...)
}

// judge sends a review, and sees whether the answer is right.
func (c *caller) judge(ctx context.Context, number int) error {
	review, isAllowed := newReview(number)
	body, err := json.Marshal(review)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := c.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.ProtoMajor != c.version {
		return fmt.Errorf("an answer by %s", response.Proto)
	}
	answer := admissionv1.AdmissionReview{}
	if err := json.Unmarshal(text, &answer); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	if answer.Response == nil || answer.Response.UID != review.Request.UID || answer.Response.Allowed != isAllowed {
		return fmt.Errorf("a wrong answer: %s", text)
	}
	return nil
}

// newReview is a review, and whether it is to be allowed.
func newReview(number int) (*admissionv1.AdmissionReview, bool) {
	isAllowed := number%refusedEach != 0
	creator := user
	if !isAllowed {
		creator = "mallory"
	}
	object := &appv1alpha1.AppService{
		TypeMeta:   metav1.TypeMeta{APIVersion: appv1alpha1.GroupVersion.String(), Kind: "AppService"},
		ObjectMeta: objectMeta(number),
		Spec:       appv1alpha1.AppServiceSpec{Replicas: 1, Image: "nginx:1.29"},
	}
	object.Annotations = map[string]string{"example.com/created-by": creator}
	kind := metav1.GroupVersionKind{Group: "app.example.com", Version: "v1alpha1", Kind: "AppService"}
	resource := metav1.GroupVersionResource{Group: "app.example.com", Version: "v1alpha1", Resource: "appservices"}
	return &admissionv1.AdmissionReview{
		TypeMeta: metav1.TypeMeta{APIVersion: "admission.k8s.io/v1", Kind: "AdmissionReview"},
		Request: &admissionv1.AdmissionRequest{
			UID:  types.UID(fmt.Sprintf("review-%d", number)),
			Kind: kind, Resource: resource, RequestKind: &kind, RequestResource: &resource,
			Name: object.Name, Namespace: namespace, Operation: admissionv1.Create,
			UserInfo: authenticationv1.UserInfo{Username: user, Groups: []string{"system:authenticated"}},
			Object:   runtime.RawExtension{Object: object},
		},
	}, isAllowed
}

// writeCertificate writes a certificate for this machine into a folder, under the names that operators read it by, and
// gives what trusts it.
func writeCertificate(folder string) (*x509.CertPool, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "webhooks"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, KeyUsage: x509.KeyUsageDigitalSignature,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	err = errors.Join(
		os.Mkdir(folder, 0o700),
		os.WriteFile(filepath.Join(folder, "tls.crt"), text, 0o600),
		os.WriteFile(filepath.Join(folder, "tls.key"), pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600),
	)
	authority := x509.NewCertPool()
	authority.AppendCertsFromPEM(text)
	return authority, err
}
