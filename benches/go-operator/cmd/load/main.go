// Command load measures operators beside each other: benches/load runs it, and
// says how to read what it prints.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// The cases, in the order in which they are measured.
const (
	whileRunning = "create"
	beforeStart  = "existing"
	restart      = "restart"
	change       = "scale"
	admission    = "admission"
)

// Those that need no webhook, and all.
var (
	plainCases = []string{whileRunning, restart, change, beforeStart}
	allCases   = append(slices.Clone(plainCases), admission)
)

// options are the command line.
type options struct {
	objects, runs, connections      int
	ports, http2                    bool
	settle                          time.Duration
	cases, operators                string
	assets, rop, project, goProgram string
	goManifests                     string
	ropArgs, goArgs                 string
}

// operator is one that is measured.
type operator struct {
	key, name, program string
	args, manifests    []string
	namespace, account string
	// idle is its memory with nothing to do, a run each.
	idle []float64
	// cases has the figures of each case, a run each.
	cases map[string][]*figures
	made  map[string]any
}

func main() {
	o := &options{}
	flag.IntVar(&o.objects, "n", 1000, "how many objects")
	flag.IntVar(&o.runs, "r", 3, "how many runs, of which medians are printed")
	flag.BoolVar(&o.ports, "ports", true, "whether objects have a port, and so a Service: the API server takes the longer for one the more there are")
	flag.DurationVar(&o.settle, "settle", 5*time.Second, "how long an operator has been at rest when its idle memory is read")
	flag.IntVar(&o.connections, "connections", 32, "how many callers a webhook has, each on a connection of its own but with -http2")
	flag.BoolVar(&o.http2, "http2", false, "whether webhooks are called by HTTP/2, as the API server does")
	flag.StringVar(&o.cases, "cases", strings.Join(plainCases, ","), "what is measured; restart and scale take the objects of create, and admission needs webhooks (benches/load -webhook)")
	flag.StringVar(&o.operators, "operators", "rop,go1,go10", "who is measured")
	flag.StringVar(&o.ropArgs, "rop-args", "--max-concurrent-reconciles=10", "arguments of rop's operator")
	flag.StringVar(&o.goArgs, "go-args", "", "more arguments of the Go operators, such as --events")
	flag.StringVar(&o.assets, "assets", "", "the folder of etcd, kube-apiserver and kubectl (given by benches/load)")
	flag.StringVar(&o.rop, "rop", "", "rop's operator (given by benches/load)")
	flag.StringVar(&o.project, "project", "", "the folder of its project (given by benches/load)")
	flag.StringVar(&o.goProgram, "go", "", "the Go operator (given by benches/load)")
	flag.StringVar(&o.goManifests, "go-manifests", "", "its manifests (given by benches/load)")
	flag.Parse()
	if flag.NArg() > 0 || o.objects < 1 || o.runs < 1 || o.connections < 1 {
		flag.Usage()
		os.Exit(2)
	}

	// The client wants a logger, and has nothing to say.
	log.SetLogger(logr.Discard())
	// Children are tied to the thread that starts them: see process.go.
	runtime.LockOSThread()
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	operators := o.subjects()
	busy := loadAverage()
	if err := o.run(ctx, operators); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	o.report(operators, busy)
}

// subjects are the operators to measure.
func (o *options) subjects() []*operator {
	crds := filepath.Join(o.project, "config/crd")
	chosen := []*operator{{
		key: "rop", name: "rop", program: o.rop,
		args:      strings.Fields(o.ropArgs),
		manifests: []string{filepath.Join(o.project, "config/default")},
		namespace: "app-operator-system", account: "app-operator-controller-manager",
	}}
	for _, workers := range []int{1, 10} {
		chosen = append(chosen, &operator{
			key: fmt.Sprintf("go%d", workers), name: fmt.Sprintf("Go, %d at a time", workers), program: o.goProgram,
			args:      append(strings.Fields(o.goArgs), fmt.Sprintf("--max-concurrent-reconciles=%d", workers)),
			manifests: []string{crds, o.goManifests},
			namespace: "go-operator-system", account: "go-operator",
		})
	}
	wanted := strings.Split(o.operators, ",")
	chosen = slices.DeleteFunc(chosen, func(each *operator) bool { return !slices.Contains(wanted, each.key) })
	for _, each := range chosen {
		each.cases = map[string][]*figures{}
	}
	return chosen
}

// run measures all operators in turn, so that what changes on the machine
// meanwhile meets all of them.
func (o *options) run(ctx context.Context, operators []*operator) error {
	for run := range o.runs {
		for _, each := range operators {
			fmt.Fprintf(os.Stderr, "run %d of %d: %s\n", run+1, o.runs, each.name)
			if o.has(whileRunning) {
				if err := o.onPlane(ctx, each, o.objectsCome); err != nil {
					return err
				}
			}
			if o.has(beforeStart) {
				if err := o.onPlane(ctx, each, o.objectsAreThere); err != nil {
					return err
				}
			}
			if o.has(admission) {
				if err := o.onPlane(ctx, each, o.objectsAreJudged); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (o *options) has(name string) bool { return slices.Contains(strings.Split(o.cases, ","), name) }

// onPlane does a part of a run on a control plane of its own.
func (o *options) onPlane(ctx context.Context, each *operator, part func(context.Context, *subject) error) error {
	// In memory where that can be had, so that the disk is not measured.
	parent := "/dev/shm"
	if syscall.Access(parent, 2) != nil {
		parent = ""
	}
	dir, err := os.MkdirTemp(parent, "rop-load-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := startPlane(ctx, o.assets, dir)
	defer p.stop()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s, err := newSubject(ctx, p, each, o)
	if err != nil {
		return err
	}
	defer func() {
		if s.process != nil {
			s.stop()
		}
	}()
	return part(ctx, s)
}

// objectsCome creates objects while the operator runs, then starts it again,
// and then changes them.
func (o *options) objectsCome(ctx context.Context, s *subject) error {
	if err := s.launch(); err != nil {
		return err
	}
	if _, err := s.rest(ctx); err != nil {
		return err
	}
	if err := sleep(ctx, o.settle); err != nil {
		return err
	}
	s.idle = append(s.idle, s.memory("VmRSS"))

	err := s.add(ctx, whileRunning, func() (time.Time, error) {
		return s.converge(ctx, o.objects, 1, func() error { return createAll(ctx, s.plane, o.objects, o.ports) })
	})
	if err != nil {
		return err
	}
	if s.made, err = outcome(ctx, s.plane); err != nil {
		return err
	}
	if o.has(restart) {
		s.stop()
		s.process = nil
		if err := s.add(ctx, restart, func() (time.Time, error) { return time.Time{}, s.launch() }); err != nil {
			return err
		}
	}
	if o.has(change) {
		return s.add(ctx, change, func() (time.Time, error) {
			return s.converge(ctx, o.objects, 2, func() error { return scaleAll(ctx, s.plane, o.objects, 2) })
		})
	}
	return nil
}

// objectsAreThere starts the operator when all objects wait for it.
func (o *options) objectsAreThere(ctx context.Context, s *subject) error {
	if err := createAll(ctx, s.plane, o.objects, o.ports); err != nil {
		return err
	}
	// The API server has to come to rest too.
	if err := sleep(ctx, 2*time.Second); err != nil {
		return err
	}
	return s.add(ctx, beforeStart, func() (time.Time, error) { return s.converge(ctx, o.objects, 1, s.launch) })
}

// add measures a case once more.
func (s *subject) add(ctx context.Context, name string, work func() (time.Time, error)) error {
	f, err := s.measure(ctx, work)
	if err != nil {
		return fmt.Errorf("%s, %s: %w", s.operator.name, name, err)
	}
	s.cases[name] = append(s.cases[name], f)
	if name == admission {
		f.latencies = s.latencies
		fmt.Fprintf(os.Stderr, "  %-8s median %.2f ms, CPU %.2f s, idle %.1f MB, peak %.1f MB\n",
			name, f.latency(0.5), f.cpu, f.idle, f.peak)
		return nil
	}
	fmt.Fprintf(os.Stderr, "  %-8s %6.2f s, %5.2f requests an object, CPU %.2f s, idle %.1f MB, peak %.1f MB\n",
		name, f.seconds, float64(f.requests.own)/float64(s.options.objects), f.cpu, f.idle, f.peak)
	return nil
}

// loadAverage is how many processes ran or wanted to in the last minute.
func loadAverage() (average float64) {
	text, _ := os.ReadFile("/proc/loadavg")
	_, _ = fmt.Sscan(string(text), &average)
	return average
}
