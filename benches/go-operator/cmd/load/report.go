package main

import (
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
)

var titles = map[string]string{
	whileRunning: "Objects created while the operator runs",
	restart:      "Restart over converged objects (s: until it is at rest)",
	change:       "Every object scaled",
	beforeStart:  "Objects that exist before it starts",
	admission:    "Reviews by the validating webhook, 1,000 a second for 10 s",
}

// withPost is what only the case that creates objects has.
const withPost = "with POST"

// busyElsewhere is the share of the machine from which on figures mean little.
const busyElsewhere = 0.05

// column is one figure of a case.
type column struct {
	name string
	of   func(*figures) float64
	// ratio tells whether the figure is set beside Go's.
	ratio bool
}

func (o *options) columns(name string) []column {
	perObject := func(count func(*requests) int) func(*figures) float64 {
		return func(f *figures) float64 { return float64(count(&f.requests)) / float64(o.objects) }
	}
	if name == admission {
		latency := func(share float64) func(*figures) float64 {
			return func(f *figures) float64 { return f.latency(share) }
		}
		return []column{
			{"median ms", latency(0.5), true},
			{"99 % ms", latency(0.99), true},
			{"longest ms", latency(1), true},
			{"CPU s", func(f *figures) float64 { return f.cpu }, true},
			{"idle MB", func(f *figures) float64 { return f.idle }, true},
			{"peak MB", func(f *figures) float64 { return f.peak }, true},
			{"elsewhere %", func(f *figures) float64 { return 100 * f.elsewhere }, false},
		}
	}
	columns := []column{
		{"s", func(f *figures) float64 { return f.seconds }, true},
		{"requests", perObject(func(r *requests) int { return r.own }), true},
		{withPost, perObject(func(r *requests) int { return r.own + r.posts }), true},
		{"events", perObject(func(r *requests) int { return r.events }), false},
		{"leases", func(f *figures) float64 { return float64(f.requests.leases) }, false},
		{"CPU s", func(f *figures) float64 { return f.cpu }, true},
		{"API server CPU s", func(f *figures) float64 { return f.apiServerCPU }, true},
		{"idle MB", func(f *figures) float64 { return f.idle }, true},
		{"peak MB", func(f *figures) float64 { return f.peak }, true},
		{"elsewhere %", func(f *figures) float64 { return 100 * f.elsewhere }, false},
	}
	if name != whileRunning {
		columns = slices.DeleteFunc(columns, func(c column) bool { return c.name == withPost })
	}
	return columns
}

// report prints everything.
func (o *options) report(operators []*operator, busy float64) {
	if o.cases != admission {
		fmt.Printf("%d objects, ", o.objects)
	}
	fmt.Printf("medians (runs: %d), %d cores\n", o.runs, runtime.NumCPU())
	o.reportPrograms(operators)
	for _, name := range allCases {
		measured := slices.DeleteFunc(slices.Clone(operators), func(each *operator) bool { return len(each.cases[name]) == 0 })
		if len(measured) > 0 {
			fmt.Printf("\n%s\n", titles[name])
			o.reportCase(measured, name)
			if name != admission {
				o.reportRequests(measured, name)
			}
		}
	}
	o.warn(operators, busy)
}

func (o *options) reportPrograms(operators []*operator) {
	table := newTable()
	fmt.Fprint(table, "\tbinary MB\t")
	// Not where only webhooks were called.
	hasIdle := slices.ContainsFunc(operators, func(each *operator) bool { return len(each.idle) > 0 })
	if hasIdle {
		fmt.Fprint(table, "MB with no object\t")
	}
	fmt.Fprintln(table)
	for _, each := range operators {
		size := 0.0
		if info, err := os.Stat(each.program); err == nil {
			size = float64(info.Size()) / 1e6
		}
		fmt.Fprintf(table, "%s\t%.1f\t", each.name, size)
		if hasIdle {
			fmt.Fprintf(table, "%.1f\t", median(each.idle))
		}
		fmt.Fprintln(table)
	}
	table.Flush()
}

func (o *options) reportCase(operators []*operator, name string) {
	columns, table := o.columns(name), newTable()
	for _, c := range columns {
		fmt.Fprintf(table, "\t%s", c.name)
	}
	fmt.Fprintln(table, "\t")
	var reference *operator
	for _, each := range operators {
		fmt.Fprint(table, each.name)
		for _, c := range columns {
			fmt.Fprintf(table, "\t%.2f", each.median(name, c.of))
		}
		fmt.Fprintln(table, "\t")
		if each.key == "go10" {
			reference = each
		}
	}
	for _, each := range operators {
		if reference == nil || each == reference {
			continue
		}
		fmt.Fprintf(table, "%s : %s", each.name, reference.name)
		for _, c := range columns {
			if other := reference.median(name, c.of); c.ratio && other > 0 {
				fmt.Fprintf(table, "\t%.2f", each.median(name, c.of)/other)
			} else {
				fmt.Fprint(table, "\t")
			}
		}
		fmt.Fprintln(table, "\t")
	}
	table.Flush()
}

// reportRequests prints where the requests went.
func (o *options) reportRequests(operators []*operator, name string) {
	kinds := map[string]bool{}
	for _, each := range operators {
		for _, f := range each.cases[name] {
			for kind := range f.requests.byKind {
				kinds[kind] = true
			}
		}
	}
	fmt.Println()
	table := newTable()
	fmt.Fprint(table, "requests, all in all")
	for _, each := range operators {
		fmt.Fprintf(table, "\t%s", each.name)
	}
	fmt.Fprintln(table, "\t")
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		fmt.Fprint(table, kind)
		for _, each := range operators {
			count := each.median(name, func(f *figures) float64 { return float64(f.requests.byKind[kind]) })
			fmt.Fprintf(table, "\t%.0f", count)
		}
		fmt.Fprintln(table, "\t")
	}
	table.Flush()
}

// warn says what makes the figures doubtful.
func (o *options) warn(operators []*operator, busy float64) {
	var notes []string
	if busy > 0.5 {
		notes = append(notes, fmt.Sprintf("the machine was busy when this began: load average %.1f", busy))
	}
	for _, each := range operators {
		for _, name := range allCases {
			for run, f := range each.cases[name] {
				if f.elsewhere > busyElsewhere {
					notes = append(notes, fmt.Sprintf("%s, %s, run %d: others used %.0f %% of the machine",
						each.name, name, run+1, 100*f.elsewhere))
				}
			}
		}
		if first := operators[0]; each.made != nil && first.made != nil {
			for _, difference := range differences("", first.made, each.made) {
				notes = append(notes, fmt.Sprintf("%s and %s do not make the same of an object: %s",
					first.name, each.name, strings.TrimPrefix(difference, ".")))
			}
		}
	}
	if len(notes) > 0 {
		fmt.Printf("\nwarning: %s\n", strings.Join(notes, "\nwarning: "))
	}
}

func newTable() *tabwriter.Writer {
	return tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
}

func (o *operator) median(name string, of func(*figures) float64) float64 {
	var values []float64
	for _, f := range o.cases[name] {
		values = append(values, of(f))
	}
	return median(values)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}
