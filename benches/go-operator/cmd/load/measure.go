package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// figures are what one case of one run gave.
type figures struct {
	seconds           float64
	requests          requests
	cpu, apiServerCPU float64
	idle, peak        float64
	// elsewhere is the share of the machine that others used meanwhile.
	elsewhere float64
	// latencies are those of all reviews, sorted.
	latencies []time.Duration
}

// latency is what so many of the reviews took at most, in milliseconds.
func (f *figures) latency(share float64) float64 {
	if len(f.latencies) == 0 {
		return 0
	}
	last := len(f.latencies) - 1
	return float64(f.latencies[int(share*float64(last))].Microseconds()) / 1000
}

// subject is an operator and the control plane that it works on.
type subject struct {
	*operator
	*process
	plane   *plane
	audit   *audit
	tracker *tracker
	options *options
	config  string
	// more are further arguments of its operator.
	more []string
	// latencies are those of the last reviews.
	latencies []time.Duration
}

// newSubject prepares a control plane for an operator, which does not run yet.
func newSubject(ctx context.Context, p *plane, o *operator, options *options) (*subject, error) {
	for _, path := range o.manifests {
		if err := p.install(path); err != nil {
			return nil, err
		}
	}
	if err := p.kubectl("create", "namespace", namespace); err != nil {
		return nil, err
	}
	config, err := p.serviceAccount(ctx, o.namespace, o.account)
	return &subject{
		operator: o, plane: p, audit: newAudit(p), tracker: track(ctx, p, options.ports), options: options, config: config,
	}, err
}

func (s *subject) launch() (err error) {
	env := []string{"KUBECONFIG=" + s.config, "HOME=" + s.plane.dir}
	args := slices.Concat([]string{"--health-probe-bind-address=127.0.0.1:0"}, s.args, s.more)
	s.process, err = start(s.plane.dir, "operator", s.program, env, args...)
	return err
}

func (s *subject) user() string {
	return "system:serviceaccount:" + s.namespace + ":" + s.account
}

// measure does the work of a case, waits until the operator is at rest, and
// counts what all that took. The work gives the time when it was done, or none
// where that is when the operator comes to rest.
func (s *subject) measure(ctx context.Context, work func() (time.Time, error)) (*figures, error) {
	if _, err := s.audit.read(s.user()); err != nil {
		return nil, err
	}
	if s.process != nil {
		// Its peak from here on.
		_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.cmd.Process.Pid), []byte("5"), 0)
	}
	begin, before := time.Now(), s.usage()
	end, err := work()
	if err != nil {
		return nil, err
	}
	rest, err := s.rest(ctx)
	if err != nil {
		return nil, err
	}
	if end.IsZero() {
		end = rest
	}
	if err := sleep(ctx, s.options.settle); err != nil {
		return nil, err
	}

	after, took := s.usage(), time.Since(begin)
	all := (after.machine - before.machine).Seconds()
	ours := (after.ours - before.ours).Seconds()
	f := &figures{
		seconds:      end.Sub(begin).Seconds(),
		cpu:          (after.operator - before.operator).Seconds(),
		apiServerCPU: (after.apiServer - before.apiServer).Seconds(),
		idle:         s.memory("VmRSS"),
		peak:         s.memory("VmHWM"),
		elsewhere:    max(0, all-ours) / took.Seconds() / float64(runtime.NumCPU()),
	}
	f.requests, err = s.audit.read(s.user())
	return f, err
}

// usage is the processor time used so far.
type usage struct {
	operator, apiServer, ours, machine time.Duration
}

func (s *subject) usage() usage {
	u := usage{apiServer: s.plane.apiServer.cpu(), machine: machineCPU()}
	if s.process != nil {
		u.operator = s.cpu()
	}
	self := syscall.Rusage{}
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &self)
	harness := time.Duration(self.Utime.Nano() + self.Stime.Nano())
	u.ours = u.operator + u.apiServer + s.plane.etcd.cpu() + harness
	return u
}

// rest waits until the operator and the API server have done next to nothing for
// two seconds, and gives the time when that began for the operator. The API
// server counts because an operator that waits for its answer looks idle too.
func (s *subject) rest(ctx context.Context) (time.Time, error) {
	const sample, quiet = 200 * time.Millisecond, 2 * time.Second
	const busy, apiServerBusy = sample / 50, sample / 5
	rested, calm := time.Now(), time.Now()
	for before := s.usage(); time.Since(calm) < quiet; {
		if err := sleep(ctx, sample); err != nil {
			return rested, err
		}
		if s.hasEnded() {
			return rested, s.failure("it ended")
		}
		now := s.usage()
		if now.operator-before.operator >= busy {
			rested, calm = time.Now(), time.Now()
		} else if now.apiServer-before.apiServer >= apiServerBusy {
			calm = time.Now()
		}
		before = now
	}
	return rested, nil
}

// converge waits for so many objects of so many replicas.
func (s *subject) converge(ctx context.Context, objects int, replicas int32, write func() error) (time.Time, error) {
	done := s.tracker.expect(objects, replicas)
	if err := write(); err != nil {
		return time.Time{}, err
	}
	limit := 2*time.Minute + time.Duration(objects)*50*time.Millisecond
	select {
	case end := <-done:
		return end, nil
	case <-s.done:
		return time.Time{}, s.failure("it ended")
	case <-time.After(limit):
		return time.Time{}, s.failure(fmt.Sprintf("only %v after %v", s.tracker, limit))
	case <-ctx.Done():
		return time.Time{}, fmt.Errorf("%w: %v", context.Cause(ctx), s.tracker)
	}
}

func (s *subject) failure(what string) error {
	log, _ := os.ReadFile(filepath.Join(s.plane.dir, s.process.name+".log"))
	return fmt.Errorf("%s: %s; its log ends with:\n%s", s.operator.name, what, log[max(0, len(log)-4000):])
}
