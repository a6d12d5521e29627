# Everything a fresh machine needs to run and test Candor. Go 1.26 or later and
# make have to be there; the rest is installed by the targets that need it.

GO     ?= go
BIN    := bin/candor
ADDR   ?= 127.0.0.1:8080
FUZZ   ?= 10s
# The go command stamps no commit, since that fails in a checkout that belongs to
# somebody else; where git can tell it, `make build` does.
export GOFLAGS := -buildvcs=false $(GOFLAGS)
SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
REVISION = $(shell git describe --tags --always --dirty 2>/dev/null)

.PHONY: run build test slow check race whole pages simd cross lint bench bench-full soak recall mutate fuzz golden dashboard screenshots clean go-version peers browser page-types api real-agents size

run: build .candor/token ## serve this folder with the offline model
	@echo "The token of this checkout is in .candor/token."
	@CANDOR_TOKEN="$$(cat .candor/token)" exec $(BIN) serve --addr $(ADDR) --workspace . --provider offline --data .candor/data

build: go-version
	$(GO) build -ldflags "-s -w -X $(shell $(GO) list -m)/cmd/candor/command.revision=$(REVISION)" -o $(BIN) ./cmd/candor

# One token for this checkout, so that the README's lines work as they stand.
.candor/token:
	@mkdir -p .candor && umask 077 && od -An -N32 -tx1 /dev/urandom | tr -d ' \n' > $@

REPORT := $(GO) run .ci/report.go

# What everybody runs: every package but the JetStream engine, of the browser's tests the one that goes once through
# everything, and of long tests a short form.
test: go-version peers browser ## the tests, in minutes; the rest is in make check (docs/code.md has the table)
	$(GO) test -json -short -vet=off $$($(GO) list ./... | grep -v '/jetstream$$') | $(REPORT) -again '$(GO) test -short'

slow: go-version peers browser ## the tests of make test that take a second or more
	$(GO) test -json -short -vet=off -count=1 $$($(GO) list ./... | grep -v '/jetstream$$') | $(REPORT) -slow 1s

check: lint cross race whole simd ## what has to hold before a merge and make test leaves out, but pages

# SQLite is C that was made Go of; each connection's memory belongs to one goroutine at a time, and to watch each of its
# bytes takes five times as long.
UNWATCHED = -gcflags=modernc.org/sqlite/lib=-race=false -gcflags=modernc.org/libc=-race=false

race: go-version peers ## the tests with the race detector, where goroutines meet
	$(GO) test -json -short -race $(UNWATCHED) -vet=off -timeout 25m $$(.ci/concurrent) | $(REPORT) -again '$(GO) test -short -race'

whole: go-version peers ## all tests whole but the browser's: three servers on a cluster, sizes; each package's own reach 85 % of it
	$(GO) test -json -cover -vet=off -timeout 25m $$($(GO) list ./... | grep -v /browsertest) | $(REPORT) -cover 85

pages: go-version browser ## all of the browser's tests alone
	$(GO) test -json -vet=off -timeout 25m ./web/ui/browsertest | $(REPORT)

simd: go-version ## the detector as it is built with SIMD
	@if [ "$$($(GO) env GOARCH)" = amd64 ] && grep -qw avx2 /proc/cpuinfo; then \
	  GOEXPERIMENT=simd $(GO) test -json -vet=off -timeout 5m ./safety/... | $(REPORT) -again 'GOEXPERIMENT=simd $(GO) test'; \
	else echo "SKIPPED, NOT PROVED: the build with SIMD (GOEXPERIMENT=simd), which takes an amd64 processor with AVX2"; fi

cross: go-version ## build for the other supported systems, without optimization; what it makes is thrown away
	@for system in darwin/arm64 windows/amd64; do echo "build for $$system"; \
	  CGO_ENABLED=0 GOOS=$${system%/*} GOARCH=$${system#*/} $(GO) build -gcflags='all=-N -l' -o /dev/null ./cmd/candor || exit 1; done

lint: go-version page-types ## formatting, vet, staticcheck; the types of the page's scripts
	@unformatted="$$(gofmt -l . | grep -v node_modules || true)"; \
	if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet -tags realagents ./...
	$(GO) tool staticcheck -tags realagents ./...
	@$(GO) mod tidy -diff

bench: go-version ## what capture, streaming and history cost, streams beside other servers (docs/benchmarks.md), and the detector beside gitleaks
	$(GO) test -run '^$$' -bench . -benchmem ./...
	$(GO) test ./session -run '^TestStorageFigures$$' -figures ../docs/benchmarks.md -v -timeout 30m
	$(GO) test ./web/sse -run '^TestFanOutBesidePeers$$' -figures ../../docs/benchmarks.md -v -timeout 60m
	cd safety/oracle && $(GO) run ./compare bench
	cd safety/oracle && GOEXPERIMENT=simd GOAMD64=v3 $(GO) run ./compare bench

soak: go-version ## ten minutes of a hostile user on all routes beside an honest one; figures go into docs/figures.md
	$(GO) test ./web/jobs -run '^TestSoak$$' -soak $(or $(SOAK),10m) -v -timeout 30m
	$(GO) test ./cmd/candor/command -run '^TestAServerStaysAsLargeAsItIs$$' -churn $(or $(CHURN),20m) -v -timeout 40m

recall: go-version ## what the detector finds, and what it finds wrongly, beside gitleaks
	cd safety/oracle && $(GO) run ./compare recall

mutate: go-version peers ## apply each listed break of the code, of which the tests have to see 95 %; ONLY=text chooses, SAMPLE=100 draws, by SEED=1
	$(GO) test ./cmd/candor/archtest -run '^TestMutationsAreSeen$$' -mutate '$(or $(ONLY),testdata)' -sample $(or $(SAMPLE),0) \
	  -seed $(or $(SEED),1) -timeout 5h -v

fuzz: go-version ## every fuzz target for FUZZ (10s) each
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for target in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "== $$pkg $$target"; $(GO) test -run '^$$' -fuzz "^$$target$$" -fuzztime $(FUZZ) -fuzzminimizetime 1s -parallel 1 $$pkg; \
	  done; done

golden: go-version ## rewrite what stands beside each script in testdata
	$(GO) test ./cmd/candor ./cmd/candor/terminal ./web/openwop \
	  -run '^(TestTurns|TestTheTerminalShowsEveryCase|TestScreensOfAnyWidthAreAligned|TestRunsGoldens)$$' -update

dashboard: go-version ## write docs/grafana.json, a Grafana dashboard of the metrics
	$(GO) test ./cmd/candor/app -run '^TestTheDashboardIsThatOfThePanels$$' -update

api: go-version ## write docs/api.md from the OpenAPI document that a server answers with
	$(GO) test ./cmd/candor/app -run '^TestTheDocsOfTheAPIAreCurrent$$' -update

size: ## write docs/size.md: lines and packages by room
	.ci/size > docs/size.md

clean:
	rm -rf bin

go-version:
	@command -v $(GO) >/dev/null || { echo "Candor needs Go 1.26 or later: https://go.dev/dl"; exit 1; }
	@$(GO) version | awk '{ split(substr($$3, 3), v, "."); exit !(v[1] > 1 || v[2] >= 26) }' || \
	  { echo "Candor needs Go 1.26 or later; this is $$($(GO) version). With GOTOOLCHAIN=auto, Go 1.21 and later fetch it."; exit 1; }

# What the tests run for real: the README's tour with curl, and peers that others
# wrote, which need Node.
peers:
	@command -v curl >/dev/null || { apt-get update -q && apt-get install -qy curl; }
	@command -v npm >/dev/null || { apt-get update -q && apt-get install -qy nodejs npm; }
	@command -v python3 >/dev/null || { apt-get update -q && apt-get install -qy python3; }

# What the page is tested in: a browser, and axe-core, which npm has. Nothing of it
# goes into the program.
browser: peers
	@command -v chromium >/dev/null || { apt-get update -q && apt-get install -qy --no-install-recommends chromium; }
	@cd web/ui/browsertest && { [ -d node_modules/axe-core ] || npm ci --no-audit --no-fund; }

# The agents whose session files, hooks and spans we read: the real programs, of the pinned
# versions, which weigh hundreds of megabytes. The tests that play them say so where they
# are missing; here they have to run. With NEWEST=1 the latest that npm has are
# played; OpenTelemetry's exporters, which carry the spans, stay as they are.
# Each line: folder, package that is there once it is installed, how npm installs it.
# npm ci wants OpenCode's packages for all systems, which not every registry has.
define REAL_AGENTS
attach/claude @anthropic-ai/claude-code ci
attach/codex @openai/codex ci
attach/gemini @google/gemini-cli ci --omit=optional --ignore-scripts
attach/opencode opencode-ai install --no-save --ignore-scripts
attach/wrapper @modelcontextprotocol/client ci
attach/dialect @ai-sdk/otel ci
endef
export REAL_AGENTS

real-agents: peers ## play the real Claude Code, Codex, Gemini CLI, OpenCode and AI SDK against a stand-in model, and MCP servers with candor wrap, and judge what we make of it; NEWEST=1 takes the latest
	@while read -r folder package verb flags; do ( cd $$folder/realtest; \
	  [ -d node_modules/$$package ] || npm $$verb $$flags --no-audit --no-fund --loglevel=error; \
	  [ -z "$(NEWEST)" ] || npm install --no-save --no-audit --no-fund --loglevel=error $$flags \
	    $$(node -p 'Object.keys(require("./package.json").devDependencies).filter((d) => !/opentelemetry/.test(d)).map((d) => d + "@latest").join(" ")'); \
	  node -p 'Object.keys(require("./package.json").devDependencies).map((d) => d + " " + require("./node_modules/" + d + "/package.json").version).join("\n")' \
	) || exit 1; done <<< "$$REAL_AGENTS"
	CANDOR_REAL_AGENTS=1 $(GO) test -tags realagents -count=1 -v -timeout 15m ./attach/claude/realtest ./attach/codex/realtest ./attach/dialect/realtest ./attach/gemini/realtest ./attach/opencode/realtest ./attach/wrapper/realtest
	@cd worker/kit/kittest && { [ -d node_modules/ai ] || npm ci --no-audit --no-fund; }
	@echo "NOT PROVED: worker/kit/python with the real langchain-core and openai-agents, which npm does not have"
	CANDOR_REAL_AGENTS=1 $(GO) test -count=1 -v -timeout 15m ./worker/kit/kittest

page-types: peers
	@cd web/ui/browsertest && { [ -d node_modules/typescript ] || npm ci --no-audit --no-fund; }
	cd web/ui/browsertest && node_modules/.bin/tsc -p .

screenshots: go-version browser ## look at the page: screens, wide and narrow, light and dark, into docs/screenshots; the story of testdata/story into bin/story
	$(GO) test ./web/ui/browsertest -run '^TestScreenshots$$' -screenshots ../../../docs/screenshots -timeout 10m
	$(GO) test ./web/ui/browsertest -run '^TestStoryScreens$$' -story ../../../bin/story -timeout 20m

bench-full: go-version browser ## a minute of 50 workers beside 500 subscribers, and a minute of the page; figures go into docs/figures.md
	$(GO) test ./web/jobs -run '^TestJobsUnderLoad$$' -load 1m -v -timeout 10m
	$(GO) test ./web/ui/browsertest -run '^TestThePageUnderLoad$$|^TestThousandsOfTurnsAreScrolled$$' -load 1m -v -timeout 15m
