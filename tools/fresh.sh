#!/usr/bin/env bash
# What a user meets: both commands of the README, on a system that has nothing of ours.
#
# debootstrap makes a root of Debian 12 with Python and git, once; each run clones a
# commit into a copy of it, and runs the commands there. From this machine the copy has
# only how it reaches the package registries.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
base=$root/build/fresh/base
copy=$root/build/fresh/root

usage() {
  cat <<'TEXT'
usage: tools/dev fresh [--beside N] [--wheel] [--keep] [COMMIT]

Runs `tools/dev demo` and `tools/dev test` of a commit (HEAD) in a new root of Debian 12
with Python and git. Needs root, and Debian's debootstrap.

  --beside N  run N busy processes beside
  --wheel     run `tools/dev wheel --check`, too
  --keep      leave the new root in build/fresh/root, to look at it
TEXT
}

say() { printf 'fresh: %s\n' "$*" >&2; }

die() {
  say "error: $*"
  exit 1
}

minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

make_base() {
  [[ ! -f $base/.complete ]] || return 0
  command -v debootstrap >/dev/null ||
    die "there is no debootstrap; \`apt-get install debootstrap\`"
  say "making a root of Debian 12"
  rm -rf "$base"
  mkdir -p "$base"
  # It may leave /proc mounted in the root: whatever is mounted goes with the process.
  unshare --mount \
    debootstrap --variant=minbase --include=ca-certificates,git,python3 \
    bookworm "$base" >"$base.log" 2>&1 || die "debootstrap failed; see $base.log"
  touch "$base/.complete"
}

# Copies a file, or a folder, of this machine to the same place in the root.
take() {
  local path
  for path in "$@"; do
    [[ -e $path ]] || continue
    mkdir -p "$copy$(dirname "$path")"
    rm -rf "${copy:?}$path"
    cp -rL "$path" "$copy$path"
  done
}

# What pip is told on this machine, as variables.
pip_variables() {
  local name value
  python3 -m pip config list | sed -n "s/^[a-z:]*\.\([a-z-]*\)='\(.*\)'$/\1 \2/p" |
    while read -r name value; do
      name=${name^^}
      printf 'PIP_%s=%s\n' "${name//-/_}" "$value"
    done
}

# The folders of this machine that they name: of packages, and of certificates.
package_folders() {
  local folder
  pip_variables | grep -o '/[^ =]*' |
    sed 's,^/*\(/[^/]*/[^/]*\).*,\1,' | sort -u | while read -r folder; do
    [[ ! -d $folder ]] || printf '%s\n' "$folder"
  done
}

make_copy() {
  say "copying the root, and cloning $commit"
  rm -rf "$copy"
  cp -a "$base" "$copy"
  take /etc/resolv.conf /etc/ssl/certs/ca-certificates.crt \
    /etc/apt/sources.list /etc/apt/sources.list.d /usr/share/keyrings
  git clone --quiet --no-hardlinks "$root" "$copy/root/nacho"
  git -C "$copy/root/nacho" checkout --quiet --detach "$commit"
}

# Runs a command in the clone. Whatever is mounted goes with the process.
inside() {
  local variables=(HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin) variable folder
  while read -r variable; do
    variables+=("$variable")
  done < <(pip_variables)
  local mounts="mount -t proc proc '$copy/proc'"
  while read -r folder; do
    mkdir -p "$copy$folder"
    mounts+=" && mount --bind '$folder' '$copy$folder'"
  done < <(package_folders)
  unshare --mount sh -c "$mounts && exec \"\$@\"" sh \
    chroot "$copy" env --ignore-environment "${variables[@]}" \
    sh -c 'cd /root/nacho && exec "$@"' sh "$@"
}

try() {
  local began=$SECONDS
  say "running $*"
  inside "$@" </dev/null || die "$* failed after $(minutes $((SECONDS - began)))"
  times+=("$* took $(minutes $((SECONDS - began)))")
}

beside=0 wheel=0 keep=0 commit=HEAD times=() busy=()
while (($#)); do
  case $1 in
  --beside)
    beside=${2:?--beside takes a number}
    shift
    ;;
  --wheel) wheel=1 ;;
  --keep) keep=1 ;;
  -h | --help)
    usage
    exit
    ;;
  -*)
    usage >&2
    die "no such option: $1"
    ;;
  *) commit=$1 ;;
  esac
  shift
done
((EUID == 0)) || die "only root can make another root"
commit=$(git -C "$root" rev-parse --verify --quiet "$commit^{commit}") ||
  die "no such commit"

clean_up() {
  ((${#busy[@]} == 0)) || kill "${busy[@]}" 2>/dev/null || true
  ((keep)) || rm -rf "$copy"
}
trap clean_up EXIT

make_base
make_copy
for ((each = 0; each < beside; ++each)); do
  sh -c 'while :; do :; done' &
  busy+=($!)
done
try tools/dev demo
try tools/dev test
((!wheel)) || try tools/dev wheel --check
say "all of it worked, with $beside busy processes beside"
for line in "${times[@]}"; do
  say "$line"
done
