#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# Fetches the sources of real programs from Debian and unpacks them in
# bench/cache/src, once. Source packages are asked of the mirror this machine
# already uses, with lists, cache and configuration of our own, so nothing of
# the machine's apt changes; apt checks the signatures by the machine's keys,
# dpkg-source the sums of what it unpacks.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=$here/cache
apt=$cache/apt
packages=(pbzip2 memcached c-blosc)

fail() {
	echo "fetch: $*" >&2
	exit 2
}

missing() {
	local package

	for package in "${packages[@]}"; do
		[[ -e $cache/src/$package ]] || echo "$package"
	done
}

# Every source of binary packages of this release, as one of source packages.
sources() {
	local codename line

	codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
	line='deb-src $(SITE) $(RELEASE) $(COMPONENT)'
	apt-get indextargets --no-release-info --format "$line" \
		'Created-By: Packages' |
		awk -v name="$codename" '$3 == name || $3 == name "-security"' |
		sort -u
}

make_state() {
	mkdir -p "$apt/lists/partial" "$apt/cache" "$apt/state"
	sources > "$apt/sources.list"
	[[ -s $apt/sources.list ]] ||
		fail "apt knows no source of this release (see apt-get indextargets)"
	cat > "$apt/apt.conf" <<-EOF
	Dir::Etc::sourcelist "$apt/sources.list";
	Dir::Etc::sourceparts "-";
	Dir::State "$apt/state";
	Dir::State::lists "$apt/lists";
	Dir::Cache "$apt/cache";
	APT::Sandbox::User "";
	EOF
}

# Unpacks package $1 into src/$1, whatever version it has.
fetch() {
	local work=$cache/unpack/$1 tree

	rm -rf "$work"
	mkdir -p "$work" "$cache/src"
	(cd "$work" && APT_CONFIG=$apt/apt.conf timeout 300 \
		apt-get -qq source "$1" > log 2>&1) ||
		fail "cannot fetch the source of $1; see $work/log"
	tree=$(find "$work" -mindepth 1 -maxdepth 1 -type d)
	basename "$work"/*.dsc .dsc > "$tree/.version"
	mv -T "$tree" "$cache/src/$1"
	rm -rf "$work"
}

mapfile -t wanted < <(missing)
[[ ${#wanted[@]} -gt 0 ]] || exit 0
command -v dpkg-source > /dev/null ||
	fail "dpkg-source is missing: install dpkg-dev"
make_state
APT_CONFIG=$apt/apt.conf timeout 300 apt-get -qq update ||
	fail "cannot read the lists of source packages"
for package in "${wanted[@]}"; do
	echo "fetching $package" >&2
	fetch "$package"
done
