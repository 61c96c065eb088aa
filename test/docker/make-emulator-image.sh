#!/usr/bin/env bash
# Makes the image gcr.io/cloud-spanner-emulator/emulator from the emulator installed on this machine, for a Docker
# engine that cannot pull it. Like the official one it holds the two binaries, their libraries, the time zones and no
# shell.
#
#   make-emulator-image.sh [folder of gateway_main and emulator_main]
set -euo pipefail

image=gcr.io/cloud-spanner-emulator/emulator:latest
programs=(gateway_main emulator_main)

find_binaries() {
  local gcloud places=(/usr/lib/google-cloud-sdk/bin/cloud_spanner_emulator)
  if gcloud=$(command -v gcloud); then
    places+=("$(dirname "$(readlink -f "$gcloud")")/cloud_spanner_emulator")
  fi
  local place
  for place in "${places[@]}"; do
    if [ -x "$place/gateway_main" ] && [ -x "$place/emulator_main" ]; then
      echo "$place"
      return
    fi
  done
  echo "make-emulator-image: no gateway_main and emulator_main in ${places[*]}" >&2
  return 1
}

binaries=${1:-$(find_binaries)}
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

# Without the zone that is Spanner's default, the emulator dies when it makes its first database.
zones=/usr/share/zoneinfo
[ -e "$zones/America/Los_Angeles" ] || { echo "make-emulator-image: no time zones in $zones: install tzdata" >&2; exit 1; }
mkdir -p "$root/tmp" "$root/usr/share"
cp -a "$zones" "$root/usr/share/"
for program in "${programs[@]}"; do
  cp -L "$binaries/$program" "$root/"
  # Lines of ldd: "libm.so.6 => /lib/… (0x…)" and, for the loader, "/lib64/… (0x…)".
  ldd "$binaries/$program" | grep -o '/[^ ]*' | while read -r library; do
    cp -L --parents "$library" "$root/"
  done
done

tar -C "$root" -c . | docker import \
  --change 'WORKDIR /' \
  --change 'EXPOSE 9010 9020' \
  --change 'CMD ["./gateway_main", "--hostname", "0.0.0.0"]' \
  - "$image" >/dev/null
echo "make-emulator-image: $image from $binaries" >&2
