# Everything a newcomer needs: `make start`. Needs npm and Node 20 or newer; the Node that runs Prelude comes with npm.

# Node 24 of this checkout first. Recipes that last `exec` it, so that Ctrl-C and SIGTERM reach it without a shell between.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)
# Compiled modules are kept, so that the next process starts a second sooner.
export NODE_COMPILE_CACHE := $(CURDIR)/node_modules/.cache/node

# Settings of `make start` and of commands; an environment variable wins. The .env of containers, which has LISTEN, is none of theirs.
ENV := $(shell [ ! -f .env ] || env -u LISTEN node --env-file=.env -p 'process.env.LISTEN ? "" : "--env-file=.env"')

WEB := web/dist/index.html
# Folders count too: their time changes when a file goes.
WEB_SOURCES := package-lock.json $(shell find web services/contracts/src -path web/dist -prune -o -path '*/node_modules' -prune -o ! -path web -print)
PRELUDE := node $(ENV) infra/cli/main.ts

.DELETE_ON_ERROR:
.PHONY: help
help: ## Show this list
	@sed -n -e 's/^##@ /\n/p' -e 's/^\([a-z-]*\):.*## /  make \1\t/p' Makefile | expand -t 28

##@ Run the product
.PHONY: start containers containers-update containers-settings
start: install $(WEB) ## Run the whole product on this machine: http://localhost:8080 (PORT, DATA_DIR, … as in .env.example)
	@exec node $(ENV) --max-semi-space-size=16 infra/embedded/main.ts

containers: containers-settings ## Run everything in containers (needs Docker with compose); stop with `docker compose --profile '*' down`
	@exec docker compose up --build --detach --wait

containers-update: containers-settings ## Bring running containers to the version that is checked out, or to PRELUDE_IMAGE, one service after the other
	@exec node infra/docker/update.ts

containers-settings: install ## Make what .env and infra/docker/secrets lack, and the dashboards
	@exec node infra/docker/first-run.ts

##@ Operate it
.PHONY: check-invariants replay backup restore prelude --deep
check-invariants: install ## Check that money and events add up, running or stopped; `-- --deep` also reads all audio
	@exec $(PRELUDE) check-invariants $(filter --deep,$(MAKECMDGOALS))

--deep:
	@:

replay: install ## Handle parked events again, once their cause is repaired
	@exec $(PRELUDE) replay

backup: install ## Back up into TO=backups/…, running or not; KEEP=29 also deletes backups beside it after 29 days
	@exec $(PRELUDE) backup --to='$(TO)' --keep='$(KEEP)'

restore: install ## Bring a backup back into an empty DATA_DIR: FROM=backups/…
	@exec $(PRELUDE) restore --from='$(FROM)'

prelude: install ## Any command of administrators: RUN='close-account --email=… --reason=…'; without RUN, the list of them
	@exec $(PRELUDE) $(or $(RUN),help)

##@ Develop and test it
.PHONY: dev check test steady prepare-machine pictures
GATE := node infra/tests/gate/main.ts
dev: install ## Develop: http://localhost:5173; a change restarts the services and reloads the page (PORT of the API, DATA_DIR, …)
	@exec node $(ENV) infra/embedded/dev.ts

check: install ## Types, lint, format and boundaries, side by side
	@exec $(GATE) static

# Services serve no page, and are tested without the web app.
SERVICES := songs credits payments storage notifier platform contracts events gateway
test: install $(if $(filter $(SERVICES),$(AREA)),,$(WEB)) ## Run what guards every change, or AREA=credits; ends with "N passed, N failed"
	@exec $(GATE) $(if $(AREA),area $(AREA),gate)

steady: install $(WEB) ## Run the test files that the change edits twenty times, shuffled, with half a core
	@exec $(GATE) steady

prepare-machine: install ## Install what tests need and npm does not bring, as Chromium; NIGHT=yes: what the night needs too
	@exec node infra/tests/prepare-machine/main.ts $(if $(NIGHT),--night)

pictures: install $(WEB) ## Take a picture of every page and state into artifacts/pictures, with an index.html; ONLY=operator picks
	@exec node infra/tests/e2e/pictures.ts '$(ONLY)'

##@ Prove it
.PHONY: test-nightly mutants soak fuzz bench drills alarms
FAULTS := vitest run --project=faults --reporter=verbose infra/tests/faults
test-nightly: install $(WEB) ## Run what takes too long for every change, by parts of an hour at most; PART=engines picks one
	@exec $(GATE) nightly $(PART)

mutants: install ## Plant one bug at a time in a copy and see that the tests which must notice it do; ONLY=consumer picks
	@exec node infra/tests/mutants/main.ts --only='$(ONLY)'

soak: install ## Live random lives of two people for MINUTES=10; a failure prints the SEED that repeats it
	@SOAK_MINUTES='$(or $(MINUTES),10)' exec vitest run --project=night infra/tests/soak

fuzz: install $(WEB) ## Send any calls of the API in any order for MINUTES=10; a failure prints the SEED that repeats it
	@SOAK_MINUTES='$(or $(MINUTES),10)' exec vitest run --project=night infra/tests/fuzz

bench: install $(WEB) ## Measure the product beside a baseline server: a table, and artifacts/bench.json; ONLY=list,live picks
	@exec node infra/tests/bench/main.ts

drills: install ## Inject faults into servers and services of containers of its own, and check the results; ONLY='kafka|redis' picks
	@exec $(FAULTS)/drills -t '$(ONLY)'

alarms: install ## Cause what alerts are for in containers of its own, and see each fire and end; ONLY='Mail|Disk' picks
	@exec $(FAULTS)/alarms -t '$(ONLY)'

##@ Install
.PHONY: install
install: ## Install the locked packages, if they are not
	@cmp -s package-lock.json node_modules/.installed-lock.json || { \
	  echo 'Installing packages (once)…' && \
	  npm ci --include=dev --ignore-scripts --no-fund --no-audit --loglevel=error && \
	  node infra/link-node.mjs && \
	  cp package-lock.json node_modules/.installed-lock.json; }

$(WEB): $(WEB_SOURCES) | install
	@echo 'Building the web app…' && npm run --silent build
