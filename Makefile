# Needs Go, bash and make. Where there is npm, the tests run real MCP servers
# too; where there is a C compiler, they run under the race detector.

GO      ?= go
RACE    := $(shell command -v $${CC:-cc} >/dev/null 2>&1 && echo -race)
# Without it each program that is built with -race sleeps a second at its end.
GORACE  := atexit_sleep_ms=0
SERVERS := testdata/mcp/node_modules
SUITE   := testdata/mcp/conformance/node_modules
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null)

SOAK    ?= 200000

.PHONY: help run demo build test bench soak fuzz lint servers clean

help: ## list the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: build ## build and start a chat (without a model: you type the commands)
	@./bin/agentbash

demo: build ## play a recorded session against the real tools
	@d=$$(mktemp -d) && cd $$d && $(CURDIR)/bin/agentbash --no-session --mode full --replay $(CURDIR)/testdata/demo/session.json

build: ## build bin/agentbash
	$(GO) build -trimpath -ldflags='-s -w' -o bin/agentbash ./cmd/agentbash

test: servers ## run all tests (TESTFLAGS=-v for more)
	@[ -n "$(RACE)" ] || echo "NOTE: no C compiler, so the tests run without the race detector"
	GORACE="$(GORACE)" $(GO) test $(RACE) -timeout 60m $(TESTFLAGS) ./...

servers: $(SERVERS)/.package-lock.json $(SUITE)/.package-lock.json ## install the MCP servers and the suite that the tests use

%/node_modules/.package-lock.json: %/package-lock.json
	@if command -v npm >/dev/null 2>&1; then cd $* && npm ci --no-audit --no-fund; \
	else echo "SKIPPED: there is no npm, so the tests that need $* do not run"; fi

bench: servers ## measure, and print ratios (BENCH=Start for one; needs ripgrep and fd for the peers)
	$(GO) test -run '^$$' -bench '$(or $(BENCH),.)' -timeout 60m $(BENCHFLAGS) ./...

soak: ## run SOAK commands in one session, some of which outlive their limits
	$(GO) test ./session -run TestSoak -soak $(SOAK) -v -timeout 0

fuzz: ## fuzz against the real bash, a minute a target
	$(GO) test ./router -run '^$$' -fuzz FuzzPlain -fuzztime 1m
	$(GO) test ./session -run '^$$' -fuzz FuzzSessionAgreesWithBash -fuzztime 1m
	$(GO) test ./registry -run '^$$' -fuzz FuzzParseKeepsText -fuzztime 1m
	$(GO) test ./fieldbash -run '^$$' -fuzz FuzzSchema -fuzztime 1m

lint: ## gofmt, go mod tidy, vet, staticcheck
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "gofmt: $$out"; exit 1; }
	$(GO) mod tidy -diff
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

clean: ## remove what was built
	rm -rf bin $(SERVERS) $(SUITE)
