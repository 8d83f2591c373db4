# ragdesk: `make demo` runs the main job, `make test` passes the tests. Both set
# up what they need; a second run needs no network.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

export CGO_ENABLED := 1
VERSION ?= $(shell cat build/VERSION)
LDFLAGS := -s -w -X ragdesk/backend/app.Version=$(VERSION)
# The language model engine is linked under Linux. Its kernels need a compiler of
# their own, and every part of a build the same one, or it is all compiled twice.
ifeq ($(shell uname -s),Linux)
ENGINE_TAG := ,engine
export PATH := $(CURDIR)/build/engine:$(PATH)
export CC := cc-x86-64-v3
export CXX := cxx-x86-64-v3
endif
# webkit2_41 is set by build/system.sh where only WebKitGTK 4.1 exists.
DESKTOP_TAGS := desktop,production$(ENGINE_TAG)$(shell build/system.sh webkit-tag)
GOFLAGS_BUILD := -buildvcs=false -ldflags '$(LDFLAGS)'
GO_SOURCES := $(shell find . -name '*.go' -not -name '*_test.go' -not -path './frontend/*' -not -path './build/cache/*') go.mod go.sum
PAGE_SOURCES := $(shell find frontend -type f -not -path '*/node_modules/*' -not -path '*/dist/*' -not -path '*/wailsjs/*') \
	backend/i18n/locales/en.json backend/i18n/locales/zh.json backend/report/words.json
TOOL := go tool -modfile=build/tools/go.mod

.PHONY: help demo test build build-headless bench smooth screenshots lint assets page system-build system-desktop system-test clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

demo: build-headless ## build the built-in libraries and show vectors, BM25 and hybrid + rerank
	build/bin/ragdesk-headless demo $(ARGS)

test: system-test page build build-headless ## run every test; EVAL_DATA=DIR adds those on real data sets
	build/test.sh

build: system-desktop assets page build/bin/ragdesk ## the desktop program, build/bin/ragdesk

build-headless: system-build assets page build/bin/ragdesk-headless ## the program without a window, build/bin/ragdesk-headless

build/bin/ragdesk: $(GO_SOURCES) frontend/dist/index.html build/cache/assets.stamp
	go build $(GOFLAGS_BUILD) -tags $(DESKTOP_TAGS) -o $@ .

build/bin/ragdesk-headless: $(GO_SOURCES) frontend/dist/index.html build/cache/assets.stamp
	go build $(GOFLAGS_BUILD) -tags headless$(ENGINE_TAG) -o $@ .

assets: build/cache/assets.stamp ## fetch what build/assets.lock lists; OPTIONAL=1 adds the chat models of the tests
	$(if $(OPTIONAL),go run ./build/assets -optional)
build/cache/assets.stamp: build/assets.lock $(wildcard build/assets/*.go build/dict/*.go)
	go run ./build/assets
	@mkdir -p $(@D) && touch $@

page: frontend/dist/index.html ## build the page
frontend/dist/index.html: frontend/node_modules/.package-lock.json $(PAGE_SOURCES)
	cd frontend && npm run build
frontend/node_modules/.package-lock.json: frontend/package.json frontend/package-lock.json
	cd frontend && npm ci --no-audit --no-fund
	@touch $@

lint: ## lint the whole tree, layers included
	$(TOOL) golangci-lint run ./...
	cd frontend && npm run check

bench: build-headless ## ratios against the peers, each in one run
	build/bench.sh

smooth: system-test build-headless ## how smooth the page is with 10,000 documents, 5,000 questions and 200 passages on screen
	cd frontend && node e2e/smooth.mjs $(ARGS)

screenshots: system-test build-headless ## every screen in both languages, light and dark, at three sizes, in build/screenshots
	cd frontend && node e2e/screenshots.mjs ../build/screenshots $(ARGS)

system-build: ; @build/system.sh build
system-desktop: ; @build/system.sh desktop
system-test: ; @build/system.sh test

clean: ## remove what was built
	rm -rf build/bin build/cache frontend/dist/assets frontend/dist/index.html frontend/node_modules
