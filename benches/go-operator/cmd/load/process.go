package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// clockTick is the unit of times in /proc, which is the same on all of Linux.
const clockTick = 10 * time.Millisecond

// process is a program that ends with this one.
type process struct {
	name string
	cmd  *exec.Cmd
	done chan struct{}
}

// start runs a program in dir, with its output in a file there.
func start(dir, name, program string, env []string, args ...string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, log, log
	// Ctrl-C is for us, who end it; and if we are killed, so is it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{name, cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait()
		close(p.done)
	}()
	return p, nil
}

// stop asks the process to end, and kills it where it does not.
func (p *process) stop() {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(15 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
	}
}

func (p *process) hasEnded() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// cpu is the processor time that the process has used, all threads together.
func (p *process) cpu() time.Duration {
	// The clock of another process is its id, inverted, above three bits that say
	// which clock. The times in /proc are of 10 ms.
	const scheduler = 2
	clock := int32(^p.cmd.Process.Pid<<3 | scheduler)
	used := unix.Timespec{}
	if err := unix.ClockGettime(clock, &used); err != nil {
		return 0
	}
	return time.Duration(used.Nano())
}

// memory is a line of /proc/PID/status in megabytes: VmRSS is what the process
// holds, VmHWM the most that it ever held.
func (p *process) memory(field string) float64 {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	for line := range strings.Lines(string(status)) {
		if name, value, _ := strings.Cut(line, ":"); name == field {
			kilobytes, _ := strconv.ParseFloat(strings.Fields(value)[0], 64)
			return kilobytes / 1024
		}
	}
	return 0
}

// machineCPU is the processor time that was used on the whole machine.
func machineCPU() time.Duration {
	stat, _ := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(stat), "\n")
	var busy int64
	// user nice system idle iowait irq softirq steal; steal is time that we did not get.
	for i, field := range strings.Fields(line)[1:9] {
		if i != 3 && i != 4 {
			ticks, _ := strconv.ParseInt(field, 10, 64)
			busy += ticks
		}
	}
	return time.Duration(busy) * clockTick
}
