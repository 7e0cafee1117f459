#!/usr/bin/env bash
# Builds the container image of worker/Dockerfile, with docker or podman.
# shellcheck source=scripts/lib/common.sh
. "$(dirname "$0")/common.sh"

usage() {
  cat <<EOF
usage: scripts/lib/image.sh [--tag NAME] [--binary FILE] [--stand-in] [--save FILE]

  --tag NAME      the image's name (default: localhost/gristmill)
  --binary FILE   take this finished binary instead of compiling one in the image. It must run on Debian 12
  --stand-in      no registry is reached: Debian's own packages stand in for the base image. Needs root, podman, runc,
                  mmdebstrap and --binary
  --save FILE     also write the image with its layers into a file, for docker load and podman load

environment
  GRISTMILL_CONTAINERS   where --stand-in keeps images (now: ${GRISTMILL_CONTAINERS:-$CACHE/containers})
EOF
}

tag=localhost/gristmill binary='' stand_in=false save=''
while [ $# -gt 0 ]; do
  case $1 in
    --tag) tag=${2:?}; shift 2 ;;
    --binary) binary=$(realpath "${2:?}"); shift 2 ;;
    --stand-in) stand_in=true; shift ;;
    --save) save=$(realpath -m "${2:?}"); shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) usage >&2; exit 2 ;;
  esac
done

# A folder with exactly what the Dockerfile copies. A link would not do: a context holds no files from outside of it.
context() {
  local folder=$1
  mkdir -p "$folder/worker"
  cp worker/debian-packages.txt "$folder/worker/"
  install -m 755 "$binary" "$folder/gristmill"
}

# Images and containers of the tests lie in a folder of their own, away from those of the machine.
# runc and the limits: crun refuses hybrid cgroups, and podman may not raise limits where root has no CAP_SYS_RESOURCE.
stand_in_podman() {
  local folder=${GRISTMILL_CONTAINERS:-$CACHE/containers}
  podman --root "$folder/storage" --runroot "$folder/run" --runtime /usr/sbin/runc \
    --cgroup-manager cgroupfs --events-backend file "$@"
}

# The machine's own list of mirrors: it is known to be reached, and apt then works inside the image as well.
apt_sources() {
  local file
  for file in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list; do
    if [ -s "$file" ]; then echo "$file"; return; fi
  done
  fail "no list of Debian's mirrors was found" "expected: /etc/apt/sources.list.d/debian.sources or /etc/apt/sources.list"
}

make_base() {
  local tar
  tar=$(mktemp --suffix .tar)
  mmdebstrap --quiet --variant=minbase --include=ca-certificates bookworm "$tar" "$(apt_sources)"
  stand_in_podman import --quiet "$tar" localhost/bookworm
  rm -f "$tar"
}

build_with() {
  local engine=$1 folder=.
  shift
  if [ -n "$binary" ]; then
    folder=$(mktemp -d)
    # shellcheck disable=SC2064 # the folder of now is meant
    trap "rm -rf '$folder'" EXIT
    context "$folder"
  fi
  # --format docker: HEALTHCHECK is not part of the OCI format.
  "$engine" build "$@" --file worker/Dockerfile --tag "$tag" "$folder"
  # Docker's own form of archive, which both engines write and read: an OCI archive would lose the HEALTHCHECK.
  # Not compressed: podman 4.3 does not load an archive that is.
  [ -z "$save" ] || "$engine" save --output "$save" "$tag"
}

if "$stand_in"; then
  [ -n "$binary" ] || fail "--stand-in needs --binary" "there is no Rust image without a registry"
  stand_in_podman image exists localhost/bookworm || step base "making a base image from Debian's packages" make_base
  build_with stand_in_podman --format docker --pull=never --isolation chroot --network host \
    --build-arg BUILDER=localhost/bookworm --build-arg BUNDLER=localhost/bookworm --build-arg BASE=localhost/bookworm
elif command -v docker >/dev/null; then
  build_with docker ${binary:+--build-arg BUILDER=docker.io/library/debian:bookworm-slim --build-arg BUNDLER=docker.io/library/debian:bookworm-slim}
elif command -v podman >/dev/null; then
  build_with podman --format docker ${binary:+--build-arg BUILDER=docker.io/library/debian:bookworm-slim --build-arg BUNDLER=docker.io/library/debian:bookworm-slim}
else
  fail "neither docker nor podman is installed"
fi
