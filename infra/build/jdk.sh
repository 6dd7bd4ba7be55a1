#!/usr/bin/env bash
# Prints the home of the newest JDK found, or of the newest one of a major version: jdk.sh [MAJOR].
# Prints nothing and fails where there is none. 17 is the oldest that Sluice works with.
set -euo pipefail

wanted=${1:-}

candidates() {
  [ -z "${JAVA_HOME:-}" ] || echo "$JAVA_HOME"
  local path
  path=$(command -v javac || true)
  [ -z "$path" ] || dirname "$(dirname "$(readlink -f "$path" 2>/dev/null || echo "$path")")"
  ls -d /usr/lib/jvm/* /usr/java/* /opt/java/* /opt/jdk* \
    /Library/Java/JavaVirtualMachines/*/Contents/Home /opt/homebrew/opt/openjdk*/ \
    "${HOME:-/}"/.sdkman/candidates/java/* "${HOME:-/}"/.jdks/* 2>/dev/null || true
}

best= best_major=0
while read -r home; do
  [ -x "$home/bin/javac" ] && [ -r "$home/release" ] || continue
  version=$(sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9.]*\).*/\1/p' "$home/release")
  major=${version%%.*}
  [ -n "$major" ] && [ "$major" -ge 17 ] || continue
  [ -z "$wanted" ] || [ "$major" = "$wanted" ] || continue
  if [ "$major" -gt "$best_major" ]; then
    best=$home best_major=$major
  fi
done < <(candidates)

[ -n "$best" ] && echo "$best"
