# Development commands; make help lists them. Plain POSIX make and sh, and Go.
.POSIX:
.PHONY: help build test test-vm check demo bench tokens fuzz dist clean

GO = go
TOOL = $(GO) tool -modfile=internal/tools/go.mod
# Static programs without the builder's paths in them; -s -w drops debug data.
BUILD = CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w'
# The guest's program is small before it is fast: our own functions are not inlined,
# and digests are not in assembly.
SMALL = -tags=purego -gcflags=github.com/agentos-go/agentos/...=-l
FUZZTIME = 60s

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1 /p' Makefile | while read -r target text; do printf '  make %-7s %s\n' "$$target" "$$text"; done

build: ## both programs, in bin/
	$(BUILD) $(SMALL) -o bin/agentos ./shim/agentos
	$(BUILD) -o bin/agentosd ./host/agentosd

test: ## all tests that need nothing but Go, with the race detector where there is a C compiler
	@set -- -timeout 5m ./...; \
	cc=$$($(GO) env CC); \
	if command -v "$${cc%% *}" >/dev/null 2>&1; then \
		set -- -race "$$@"; export CGO_ENABLED=1; \
	else \
		echo "no C compiler ($$cc): without the race detector"; \
	fi; \
	echo "go test $$*"; $(GO) test "$$@"

test-vm: build ## the guest's commands in real VMs; on Debian it installs QEMU
	@sh internal/vmtest/packages.sh
	AGENTOS_VMTEST="$${XDG_CACHE_HOME:-$$HOME/.cache}/agentos" $(GO) test -count=1 -timeout 10m -v ./internal/vmtest

check: ## formatting, linters, tidy modules, builds for other systems, known vulnerabilities
	@bad=$$(gofmt -l .); if [ -n "$$bad" ]; then echo "gofmt -w is due for:" $$bad; exit 1; fi
	$(GO) vet ./...
	$(GO) mod tidy -diff
	cd internal/tools && $(GO) mod tidy -diff
	cd internal/tokens && $(GO) mod tidy -diff && $(GO) vet . && $(GO) test .
	CGO_ENABLED=0 GOOS=linux GOARCH=amd64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=linux GOARCH=arm64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=darwin GOARCH=arm64 $(GO) build ./...
	CGO_ENABLED=0 GOOS=windows GOARCH=amd64 $(GO) build ./toolkit ./prompt ./guest ./host
	CGO_ENABLED=0 GOOS=wasip1 GOARCH=wasm $(GO) build ./toolkit
	$(TOOL) staticcheck ./...
	$(TOOL) golangci-lint run ./...
	@echo "govulncheck ./..."; \
	report=$$($(TOOL) govulncheck ./... 2>&1) && { echo "$$report"; exit 0; }; \
	echo "$$report"; \
	case $$report in \
	*"fetching vulnerabilities: "*) echo "the vulnerability database is out of reach: not checked" ;; \
	*) exit 1 ;; \
	esac

demo: build ## a host and a guest on this machine, as in the README
	sh examples/demo/demo.sh

bench: ## every figure beside its reference, measured in the same run
	$(GO) run ./internal/bench

tokens: ## what tools cost a model, beside tools/list; fails when a limit is missed
	cd internal/tokens && $(GO) run .

fuzz: ## every fuzz target in turn, FUZZTIME (60s) each
	@find . -name '*_test.go' -exec awk '/^func Fuzz/ { \
		dir = FILENAME; sub("/[^/]*$$", "", dir); \
		split($$2, name, "("); print dir, name[1] }' {} + | sort | \
	while read -r dir name; do \
		echo "$$dir $$name"; \
		$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) "$$dir" </dev/null || exit 1; \
	done

dist: ## both programs for Linux on amd64 and arm64, with checksums, in dist/
	@rm -rf dist; \
	for arch in amd64 arm64; do \
		for program in shim/agentos host/agentosd; do \
			echo "dist/linux-$$arch/$${program##*/}"; \
			case $$program in shim/*) set -- $(SMALL) ;; *) set -- ;; esac; \
			GOOS=linux GOARCH=$$arch GOAMD64=v1 GOARM64=v8.0 GOFLAGS=-buildvcs=auto \
				$(BUILD) "$$@" -o "dist/linux-$$arch/$${program##*/}" "./$$program" || exit 1; \
		done; \
	done; \
	cd dist && sha256sum linux-*/* >SHA256SUMS && cat SHA256SUMS

clean: ## remove bin/ and dist/
	rm -rf bin dist
