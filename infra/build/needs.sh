#!/usr/bin/env bash
# Sees to the programs that the tests drive: installs them on Debian as root, else says what is
# missing and fails.
set -euo pipefail

declare -A package=(
  [redis-server]=redis-server
  [chromium]="chromium fonts-noto-cjk" # the pages are tested in Korean too
  [chromedriver]=chromium-driver
)

missing=()
for program in redis-server chromium chromedriver; do
  command -v "$program" > /dev/null || missing+=(${package[$program]})
done
[ ${#missing[@]} -gt 0 ] || exit 0

if command -v apt-get > /dev/null && [ "$(id -u)" = 0 ]; then
  echo "Installing what the tests need: ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  log=$(mktemp)
  if apt-get update -qq > "$log" 2>&1 \
    && apt-get install -y -qq --no-install-recommends "${missing[@]}" >> "$log" 2>&1 < /dev/null; then
    rm "$log"
    exit 0
  fi
  tail -20 "$log" >&2
fi

echo "The tests need these packages, which aren't installed: ${missing[*]}" >&2
echo "(names as in Debian; as root on Debian they are installed by themselves)" >&2
exit 1
