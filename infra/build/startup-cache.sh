#!/usr/bin/env bash
# Unpacks the executable jar to TARGET/sluice and trains a cache of loaded classes there, with which
# a start takes about half the time: startup-cache.sh JDK TARGET. Writes TARGET/sluice/java-options,
# the options to start TARGET/sluice/sluice.jar with (java @FILE), last of all.
#
# From JDK 25 on it is an AOT cache (classes loaded and linked, methods profiled), before that an
# archive for class-data sharing.
set -euo pipefail

jdk=$1
target=$(cd "$2" && pwd)
home=$target/sluice
java=$jdk/bin/java
major=$(sed -n 's/^JAVA_VERSION="\{0,1\}\([0-9]*\).*/\1/p' "$jdk/release")

rm -rf "$home"
"$java" -Djarmode=tools -jar "$target/sluice.jar" extract --destination "$home" > /dev/null

# Common to every run. What each is for, and what it measured, is in docs/performance.md.
options=(-XX:+UseG1GC -XX:MaxRAMPercentage=50 -XX:InitiatingHeapOccupancyPercent=70 -XX:+ExitOnOutOfMemoryError)
if [ "$major" -ge 25 ]; then
  # A cache that doesn't fit in every detail is used as far as it does; nobody need read of it.
  options+=(-XX:+UseCompactObjectHeaders '-Xlog:aot*=error')
fi
if [ "$major" -ge 24 ]; then
  # Kafka and RocksDB call native code; newer JDKs would warn of it.
  options+=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
fi

if [ "$major" -ge 25 ]; then
  cache=$home/sluice.aot
  training=("-XX:AOTCacheOutput=$cache")
  use=("-XX:AOTCache=$cache")
else
  cache=$home/sluice.jsa
  training=("-XX:ArchiveClassesAtExit=$cache")
  use=("-XX:SharedArchiveFile=$cache")
fi

data=$(mktemp -d)
trap 'rm -rf "$data"' EXIT

# One start, one answer of each kind, one clean stop; and so many who follow their place that the
# profiles of their methods are worth keeping: a server just started may get thousands at once.
followers=400

train() {
  local log=$data/log port session
  SLUICE_DATA_DIR=$data/data "$java" "${options[@]}" "${training[@]}" -jar "$home/sluice.jar" \
    --server.port=0 --sluice.broker.port=0 --sluice.kinesis.port=0 > "$log" 2>&1 &
  local sluice=$!
  for _ in $(seq 1 600); do
    grep -q '^Ready in' "$log" && break
    kill -0 $sluice 2> /dev/null || break
    sleep 0.2
  done
  if grep -q '^Ready in' "$log"; then
    port=$(sed -n 's|.*http://localhost:\([0-9]*\)/.*|\1|p' "$log" | head -1)
    for path in /health/ready /actuator/prometheus / /api/admission/keys; do
      ask "$port" "GET $path" '' > /dev/null
    done
    for person in 1 2 3; do
      ask "$port" 'POST /api/admission/enter' "{\"roomId\":\"training\",\"requestId\":\"p$person\"}" > /dev/null
    done
    session=$(ask "$port" 'POST /api/sessions/issue' '' | sed -n 's/.*"sessionId":"\([^"]*\)".*/\1/p')
    for person in $(seq 1 $followers); do
      follow "$port" "$session" "p$person"
    done
  fi
  kill -TERM $sluice 2> /dev/null || true
  wait $sluice || true
  [ -s "$cache" ] || { cat "$log" >&2; return 1; }
}

ask() {
  local port=$1 request=$2 body=$3
  exec 3<> "/dev/tcp/127.0.0.1/$port" || return 0
  printf '%s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
    "$request" "${#body}" "$body" >&3
  cat <&3
  exec 3>&-
}

# Connects as a waiting page does, waits until it is subscribed, and goes.
follow() {
  local port=$1 session=$2 person=$3 line
  exec 3<> "/dev/tcp/127.0.0.1/$port" || return 0
  printf '%s\r\n' 'GET /ws HTTP/1.1' "Host: localhost:$port" 'Upgrade: websocket' \
    'Connection: Upgrade' 'Sec-WebSocket-Version: 13' \
    'Sec-WebSocket-Key: c2x1aWNlIHRyYWluaW5nIA==' 'Sec-WebSocket-Protocol: v12.stomp' '' >&3
  while read -r -t 5 line <&3 && [ "$line" != $'\r' ]; do :; done
  frame CONNECT accept-version:1.2 host:localhost heart-beat:0,0 "Sluice-Session:$session"
  frame SUBSCRIBE id:0 "destination:/topic/admission/$person" room:training
  frame SUBSCRIBE id:1 "destination:/topic/timeout/$person" room:training
  frame SUBSCRIBE id:2 "destination:/topic/rank/$person" room:training
  frame SUBSCRIBE id:3 destination:/topic/stats/training
  frame SUBSCRIBE id:4 destination:/topic/server receipt:4
  while read -r -t 5 line <&3 && [ "$line" != receipt-id:4 ]; do :; done
  exec 3>&-
}

# Sends a STOMP frame of these lines as the text of one WebSocket message, masked with zeros.
frame() {
  local text length
  text=$(printf '%s\n' "$@")
  length=$((${#text} + 3))
  if [ $length -lt 126 ]; then
    printf "\\201\\$(printf %o $((128 + length)))\\0\\0\\0\\0%s\n\n\\0" "$text" >&3
  else
    printf "\\201\\376\\0\\$(printf %o $length)\\0\\0\\0\\0%s\n\n\\0" "$text" >&3
  fi
}

echo "Training the start-up cache (once a build)"
if train; then
  options+=("${use[@]}")
else
  echo "There is no start-up cache: Sluice starts without it, more slowly" >&2
fi
printf '%s\n' "${options[@]}" > "$home/java-options"
