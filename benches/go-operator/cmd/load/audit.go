package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// requests are those of one operator, as the API server's audit log has them.
type requests struct {
	// byKind counts by verb, resource and, where it was refused, answer.
	byKind map[string]int
	// own are all but those to events and leases.
	own, events, leases int
	// posts are the harness's own creations of objects.
	posts int
}

// audit reads the log of the API server from where it was left.
type audit struct {
	path   string
	offset int64
}

// entry is what of a line of the log is of interest.
type entry struct {
	Stage, Verb    string
	User           struct{ Username string }
	ObjectRef      struct{ Resource, Subresource string }
	ResponseStatus struct{ Code int }
}

func newAudit(p *plane) *audit { return &audit{path: filepath.Join(p.dir, "audit.log")} }

// read counts the requests of a user since the last call.
func (a *audit) read(user string) (requests, error) {
	counts := requests{byKind: map[string]int{}}
	file, err := os.Open(a.path)
	if err != nil {
		return counts, err
	}
	defer file.Close()
	if _, err := file.Seek(a.offset, io.SeekStart); err != nil {
		return counts, err
	}
	lines := bufio.NewReader(file)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			// The rest is of a line that is being written: it is for the next call.
			return counts, nil
		} else if err != nil {
			return counts, err
		}
		a.offset += int64(len(line))
		e := entry{}
		if err := json.Unmarshal(line, &e); err != nil {
			return counts, err
		}
		counts.add(&e, user)
	}
}

func (r *requests) add(e *entry, user string) {
	// A watch has a line when it begins and one when it ends.
	if e.Verb == "watch" && e.Stage != "ResponseStarted" {
		return
	}
	resource := e.ObjectRef.Resource
	if e.User.Username == administrator && e.Verb == "create" && resource == "appservices" {
		r.posts++
	}
	if e.User.Username != user {
		return
	}
	switch resource {
	case "events":
		r.events++
	case "leases":
		r.leases++
	case "":
		resource = "(no resource)"
		fallthrough
	default:
		r.own++
	}
	kind := e.Verb + " " + resource
	if e.ObjectRef.Subresource != "" {
		kind += "/" + e.ObjectRef.Subresource
	}
	if e.ResponseStatus.Code >= 400 {
		kind += fmt.Sprintf(", answered %d", e.ResponseStatus.Code)
	}
	r.byKind[kind]++
}
