# Sluice: run, test, demo, bench, build. `make help` says what each does.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

# The newest JDK found compiles and runs; 17 is the oldest that must work, and is tested too.
JDK := $(shell infra/build/jdk.sh)
JDK_17 := $(shell infra/build/jdk.sh 17)
ifeq ($(JDK),)
$(error No JDK 17 or later was found: set JAVA_HOME, or put javac on the PATH)
endif
ifeq ($(shell command -v mvn),)
$(error Maven was not found: put mvn on the PATH)
endif
export JAVA_HOME := $(JDK)
JAVA := $(JDK)/bin/java
MAJOR := $(shell sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9]*\).*/\1/p' $(JDK)/release)

# Only warnings, errors and the results of tests. Maven's own libraries use what newer JDKs warn of.
export MAVEN_OPTS += -Dorg.slf4j.simpleLogger.defaultLogLevel=warn \
  -Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.surefire=info \
  -Dorg.slf4j.simpleLogger.log.org.apache.maven.plugin.failsafe=info
ifeq ($(shell [ $(MAJOR) -ge 24 ] && echo yes),yes)
MAVEN_OPTS += --sun-misc-unsafe-memory-access=allow --enable-native-access=ALL-UNNAMED
endif
MVN := mvn -B -ntp -Dstyle.color=never

ESC := $(shell printf '\033')

# Builds, telling only of the modules as they come, warnings and errors.
package = set -o pipefail; \
  MAVEN_OPTS="$(MAVEN_OPTS) -Dorg.slf4j.simpleLogger.log.org.apache.maven=info" \
  $(MVN) -DskipTests -pl $(1) -am package \
  | sed -e 's/$(ESC)\[[0-9;]*m//g' -e 's/^\[INFO\] Building \(.*[^ ]\) [0-9][^ ]* *\(\[.*\]\)$$/  \2 \1/' -e '/^\[INFO\]/d'

STANDALONE := infra/standalone/target
UNPACKED := $(CURDIR)/$(STANDALONE)/sluice
BENCH := infra/bench/target/bench.jar
SOURCES := pom.xml $(shell find topology api notifier replay infra/broker infra/redis infra/kinesis infra/standalone \
  \( -name target -o -path '*/src/test' \) -prune -o -type f \( -path '*/src/main/*' -o -name pom.xml \) -print) \
  notifier/client/sluice-client.js
BENCH_SOURCES := $(shell find infra/bench -name target -prune -o -type f -path '*/src/main/*' -print) infra/bench/pom.xml

.PHONY: help run build test test-newest test-17 format demo demo-hot bench soak-push clean

help: ## what there is
	@sed -n 's/^\([a-z0-9%-]*\):.*## \(.*\)/make \1|\2/p' Makefile | column -t -s '|'

run: $(STANDALONE)/sluice/java-options ## everything in one process, in the foreground; Ctrl-C stops it
	@exec $(JAVA) @$(UNPACKED)/java-options -jar $(UNPACKED)/sluice.jar $(ARGS)

build: $(STANDALONE)/sluice/java-options ## the executable jar infra/standalone/target/sluice.jar
	@echo "Built $(STANDALONE)/sluice.jar"

$(STANDALONE)/sluice.jar: $(SOURCES)
	@echo "Building Sluice with the JDK in $(JDK): some minutes the first time"
	@$(call package,infra/standalone)
	@touch $@

# The jar unpacked beside a cache of loaded classes, with which it starts in half the time.
$(STANDALONE)/sluice/java-options: $(STANDALONE)/sluice.jar infra/build/startup-cache.sh
	@infra/build/startup-cache.sh $(JDK) $(STANDALONE)

test: ## all tests, on the newest JDK and on 17; installs what they need where it can
	@infra/build/needs.sh
	@$(MAKE) --no-print-directory test-newest
	@$(MAKE) --no-print-directory test-17

test-newest:
	@echo "Testing on JDK $(MAJOR) in $(JDK)"
	@$(MVN) spotless:check
	@$(MVN) verify -Dspotless.check.skip

# What was compiled for the newest runs again on 17: all tests but those of load and of crashes,
# which depend on Kafka and on the operating system rather than on the JDK.
test-17: ## most tests again on JDK 17
ifeq ($(MAJOR),17)
	@echo "JDK 17 is the newest here: it has been tested"
else ifeq ($(JDK_17),)
	@echo "No JDK 17 was found: tested on JDK $(MAJOR) alone"
else
	@echo "Testing on JDK 17 in $(JDK_17)"
	@$(MVN) test -Dspotless.check.skip -Dtest.jvm=$(JDK_17)/bin/java -Dtest.excluded=slow
endif

format: ## formats the sources as the tests want them
	@$(MVN) spotless:apply

$(BENCH): $(STANDALONE)/sluice/java-options $(BENCH_SOURCES)
	@echo "Building the benchmarks"
	@$(call package,infra/bench)
	@touch $@

demo: $(BENCH) ## a simulated on-sale against a running Sluice, or one that it starts
	@exec $(JAVA) -jar $(BENCH) demo $(ARGS)

demo-hot: $(BENCH) ## a room that gets a hundred times its usual traffic, among 2,000 quiet ones
	@exec $(JAVA) -jar $(BENCH) demo-hot $(ARGS)

bench: $(BENCH) ## the benchmarks, beside their baselines
	@exec $(JAVA) -jar $(BENCH) all $(ARGS)

bench-%: $(BENCH) ## one of them
	@exec $(JAVA) -jar $(BENCH) $* $(ARGS)

soak-push: $(BENCH) ## some minutes of connects, bursts and connections cut: nothing may be left behind
	@exec $(JAVA) -jar $(BENCH) soak-push $(ARGS)

clean: ## forgets what was built
	@$(MVN) clean
