package ort

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	onnx "github.com/yalue/onnxruntime_go"
)

// optimise is the level used for every graph: all rewrites that do not depend on
// this machine's processor, so that a kept graph can move with its folder.
const optimise = onnx.GraphOptimizationLevelEnableExtended

// load opens the kept optimised graph if there is one, else the graph itself.
// What goes wrong with the kept one only costs time.
func load(g Graph) (*onnx.DynamicAdvancedSession, error) {
	if g.Optimised == "" {
		return session(g, g.Path, optimise, "")
	}
	if stamp, err := stampOf(g.Optimised); err == nil && stamped(g.Optimised, stamp) {
		if s, err := session(g, g.Optimised, onnx.GraphOptimizationLevelDisableAll, ""); err == nil {
			return s, nil
		}
	}
	s, err := loadAndKeep(g)
	if err != nil {
		return session(g, g.Path, optimise, "")
	}
	return s, nil
}

// loadAndKeep opens the graph and writes its optimised form, complete or not at
// all.
func loadAndKeep(g Graph) (*onnx.DynamicAdvancedSession, error) {
	sweep(g.Optimised)
	tmp, err := os.CreateTemp(filepath.Dir(g.Optimised), filepath.Base(g.Optimised)+tempMark+"*")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.Remove(tmp.Name()) }() // renamed away, when all went well
	if err := tmp.Close(); err != nil {
		return nil, err
	}
	s, err := session(g, g.Path, optimise, tmp.Name())
	if err != nil {
		return nil, err
	}
	// From here on the session is good; a graph that is not kept is no error.
	if settle(tmp.Name()) == nil && os.Rename(tmp.Name(), g.Optimised) == nil {
		if stamp, err := stampOf(g.Optimised); err == nil {
			_ = os.WriteFile(stampPath(g.Optimised), []byte(stamp), 0o644)
		}
	}
	return s, nil
}

const (
	// tempMark is part of the names of unfinished files.
	tempMark = ".tmp-"
	// abandoned is the age at which an unfinished file has no writer any more.
	abandoned = time.Hour
)

// sweep removes what killed processes left unfinished beside path.
func sweep(path string) {
	left, err := filepath.Glob(path + tempMark + "*")
	if err != nil { // the path itself reads as a bad pattern
		return
	}
	for _, file := range left {
		if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > abandoned {
			_ = os.Remove(file) // another process may have done it
		}
	}
}

// settle puts a file that another writer closed onto the disk, readable by all.
func settle(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Chmod(0o644), f.Sync(), f.Close())
}

func stampPath(path string) string { return path + ".ok" }

// stampOf describes a file as it is now: a change shows in its size or time.
func stampOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d bytes at %d ns\n", info.Size(), info.ModTime().UnixNano()), nil
}

func stamped(path, stamp string) bool {
	raw, err := os.ReadFile(stampPath(path))
	return err == nil && string(raw) == stamp
}
