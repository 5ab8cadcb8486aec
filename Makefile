# Needs Go, bash and make. Where there is npm, the tests run real MCP servers
# too; where there is a C compiler, they run under the race detector.

GO      ?= go
# Parsers of text, which take twenty times as long when the race detector watches what they do
# inside. It watches their callers.
PLAIN   := regexp/... mvdan.cc/sh/v3/...
RACE    := $(shell command -v $${CC:-cc} >/dev/null 2>&1 && echo -race $(PLAIN:%=-gcflags=%=-race=false))
# Without it each program that is built with -race sleeps a second at its end.
GORACE  := atexit_sleep_ms=0
SERVERS := testdata/mcp/node_modules
SUITE   := testdata/mcp/conformance/node_modules
HEAVY   := testdata/servers/node_modules
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)

SOAK    ?= 200000

.PHONY: help run demo build dist check test test-servers test-portable test-386 test-architectures clients bashes bench soak fuzz lint servers clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: build ## build and start a chat (without a model: you type the commands)
	@./bin/agentbash

demo: build ## play a recorded session against the real tools
	@d=$$(mktemp -d) && cd $$d && $(CURDIR)/bin/agentbash --no-session --mode full --replay $(CURDIR)/testdata/demo/session.json

build: ## build bin/agentbash
	$(GO) build -trimpath -ldflags='-s -w' -o bin/agentbash ./cmd/agentbash

dist: ## build the packages of a release into dist/ (archives, deb, npm, checksums)
	GO=$(GO) packaging/build

check: ## build, vet, and run the tests that need no server, tmux or sshd, without the race detector
	$(GO) build ./...
	$(GO) vet ./...
	$(GO) test -short $(TESTFLAGS) ./...

test: servers ## run all tests (TESTFLAGS=-v for more)
	@[ -n "$(RACE)" ] || echo "NOTE: no C compiler, so the tests run without the race detector"
	GORACE="$(GORACE)" $(GO) test $(RACE) -timeout 60m $(TESTFLAGS) ./...

servers: $(SERVERS)/.package-lock.json $(SUITE)/.package-lock.json ## install the MCP servers and the suite that the tests use

%/node_modules/.package-lock.json: %/package-lock.json
	@if command -v npm >/dev/null 2>&1; then cd $* && PUPPETEER_SKIP_DOWNLOAD=1 PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --no-audit --no-fund; \
	else echo "SKIPPED: there is no npm, so the tests that need $* do not run"; fi

test-servers: servers $(HEAVY)/.package-lock.json ## run the servers that are too heavy for test: Playwright, Redis, Desktop Commander, OpenAPI
	@for p in chromium redis-server; do command -v $$p >/dev/null 2>&1 || { [ $$(id -u) = 0 ] && apt-get update -qq && apt-get install -y -qq --no-install-recommends $$p; } || \
	echo "SKIPPED: $$p is not there and could not be installed, so its script does not run: apt-get install $$p"; done
	AGENTBASH_TEST_SERVERS=$(CURDIR)/$(HEAVY) $(GO) test ./cmd/agentbash -run 'TestServers|TestScripts/field_(every|keep|generate)' -count 1 -timeout 60m -v

# Starts the real ones, in a directory of their own, against a model that is played.
clients: servers ## try mcp install with Claude Code, Codex, OpenCode and Gemini CLI from npm
	cd testdata/clients && npm install --no-package-lock --no-audit --no-fund
	AGENTBASH_TEST_CLIENTS=testdata/clients $(GO) test ./cmd/agentbash -run TestRealClients -v -count 1

bashes: testdata/bashes/5.1/bash testdata/bashes/5.3/bash ## get other versions of bash from Debian, for the tests

testdata/bashes/5.1/bash: DEBIAN := bullseye
testdata/bashes/5.3/bash: DEBIAN := sid

testdata/bashes/%/bash:
	testdata/bashes/get $(DEBIAN) $@

bench: servers ## measure, and print ratios (BENCH=Start for one; needs ripgrep and fd for the peers)
	$(GO) test -run '^$$' -bench '$(or $(BENCH),.)' -timeout 60m $(BENCHFLAGS) ./...

test-portable: ## run the half of the session that macOS has, on Linux
	$(GO) test -tags portable $(TESTFLAGS) ./internal/syscalls ./internal/proctable ./internal/watchdog ./internal/atomicfile ./internal/tempdir ./session

# What differs by processor: the size of int, the numbers of system calls, their structures.
BY_PROCESSOR := ./internal/syscalls ./internal/proctable ./registry ./session ./router ./agentbash/files

# qemu-user gives signals of real time other numbers than bash has, and starts no program of its own
# architecture, which tests of the others need.
EMULATED := ./registry ./internal/syscalls

test-386: ## run the tests of what differs by processor as a program of 32 bits
	CGO_ENABLED=0 GOARCH=386 $(GO) test $(TESTFLAGS) $(BY_PROCESSOR)

test-architectures: test-386 ## and those that an emulator can run as programs for arm64 and arm (needs qemu-user-static)
	CGO_ENABLED=0 GOARCH=arm64 $(GO) test -exec qemu-aarch64-static $(TESTFLAGS) $(EMULATED)
	CGO_ENABLED=0 GOARCH=arm $(GO) test -exec qemu-arm-static $(TESTFLAGS) $(EMULATED)

soak: ## run SOAK commands, some of which outlive their limits, in a session and the whole way
	$(GO) test . ./session -run TestSoak -soak $(SOAK) -v -timeout 0

fuzz: ## fuzz against the real bash, a minute a target
	$(GO) test ./router -run '^$$' -fuzz FuzzPlain -fuzztime 1m
	$(GO) test ./session -run '^$$' -fuzz FuzzSessionAgreesWithBash -fuzztime 1m
	$(GO) test ./registry -run '^$$' -fuzz FuzzParseKeepsText -fuzztime 1m
	$(GO) test ./fieldbash -run '^$$' -fuzz FuzzSchema -fuzztime 1m

lint: ## gofmt, go mod tidy, vet (for macOS too), staticcheck
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "gofmt: $$out"; exit 1; }
	$(GO) mod tidy -diff
	$(GO) vet ./...
	for arch in amd64 arm64; do GOOS=darwin GOARCH=$$arch CGO_ENABLED=0 $(GO) vet ./... || exit 1; done
	$(GO) vet -tags portable ./...
	$(GO) tool staticcheck ./...

clean: ## remove what was built
	rm -rf bin dist $(SERVERS) $(SUITE) $(HEAVY)
