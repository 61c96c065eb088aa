#!/usr/bin/env bash
# Runs a command with a Docker engine of its own, which holds the images of the Spanner emulator and of Cassandra and is gone
# afterwards. The project has to be built: the image of Cassandra is made by its own starter's parts.
#
#   with-docker.sh command [argument…]
#
# Exit status: that of the command; 75 where Docker cannot start here, with the reason as the last line on stderr.
set -euo pipefail

cannot_start=75
start_seconds=60
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

refuse() {
  echo "with-docker: $*" >&2
  exit "$cannot_start"
}

[ $# -gt 0 ] || { echo "usage: with-docker.sh command [argument…]" >&2; exit 64; }
[ "$(uname -s)" = Linux ] || refuse 'a Docker engine of its own needs Linux'
[ "$(id -u)" = 0 ] || refuse 'dockerd needs root'

install_docker() {
  command -v apt-get >/dev/null || refuse 'there is no dockerd, and no apt-get to install it'
  export DEBIAN_FRONTEND=noninteractive
  { apt-get update -qq && apt-get install -y -qq --no-install-recommends docker.io iproute2 tzdata; } >&2 ||
    refuse 'docker.io could not be installed with apt-get'
}
{ command -v dockerd && command -v docker && command -v ip && ls /usr/share/zoneinfo/America; } >/dev/null 2>&1 ||
  install_docker

work=$(mktemp -d /tmp/isotherm-docker.XXXXXX)
bridge=iso$$
daemon=
command=

clean_up() {
  local status=$?
  trap - EXIT
  if [ -n "$daemon" ] && kill -0 "$daemon" 2>/dev/null; then
    docker ps --all --quiet | xargs --no-run-if-empty docker rm --force >/dev/null 2>&1 || true
    kill "$daemon" 2>/dev/null || true
    wait "$daemon" 2>/dev/null || true
  fi
  ip link delete "$bridge" 2>/dev/null || true
  # A dockerd that was killed leaves mounts behind, which would make the removal fail.
  awk -v work="$work/" 'index($2, work) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount --lazy || true
  rm -rf "$work"
  exit "$status"
}
trap clean_up EXIT
# A signal ends the command first; what follows it then ends the rest.
trap '[ -z "$command" ] || kill "$command" 2>/dev/null; exit 143' TERM
trap '[ -z "$command" ] || kill "$command" 2>/dev/null; exit 130' INT

# A bridge and a network of its own, and no rule in iptables: nothing is shared with another Docker engine, and what a
# kernel in a small virtual machine lacks is not needed. Published ports go through docker-proxy. The vfs driver works
# on any file system, and the two images are small.
ip link add "$bridge" type bridge 2>"$work/ip.log" &&
  ip address add "10.213.$(($$ % 256)).1/24" dev "$bridge" 2>>"$work/ip.log" &&
  ip link set "$bridge" up 2>>"$work/ip.log" ||
  refuse "no bridge could be made: $(tail -n 1 "$work/ip.log")"

export DOCKER_HOST="unix://$work/docker.sock"
# Neither credentials nor contexts of whoever runs this.
export DOCKER_CONFIG="$work/config"
mkdir "$DOCKER_CONFIG"
echo '{}' >"$work/daemon.json"

# setsid: Ctrl+C is for the command, and dockerd has to outlive it. setpriv: dockerd ends even if this script is killed.
setsid setpriv --pdeathsig TERM dockerd \
  --config-file "$work/daemon.json" --data-root "$work/data" --exec-root "$work/exec" --pidfile "$work/pid" \
  --host "$DOCKER_HOST" --bridge "$bridge" --iptables=false --ip6tables=false --ip-masq=false \
  --storage-driver vfs >"$work/dockerd.log" 2>&1 &
daemon=$!

deadline=$((SECONDS + start_seconds))
until docker version >/dev/null 2>&1; do
  if ! kill -0 "$daemon" 2>/dev/null || [ "$SECONDS" -ge "$deadline" ]; then
    refuse "dockerd did not start: $(tail -n 1 "$work/dockerd.log")"
  fi
  sleep 0.2
done
"$here/make-emulator-image.sh" || refuse 'the image of the emulator could not be made'
# The tests before have started such a node: what fails here is a defect, and no lack of this machine.
node "$here/make-cassandra-image.mjs"

# The image of testcontainers' reaper can't be pulled either; here the whole engine goes, with all containers.
export TESTCONTAINERS_RYUK_DISABLED="${TESTCONTAINERS_RYUK_DISABLED:-true}"

"$@" <&0 &
command=$!
status=0
wait "$command" || status=$?
exit "$status"
