#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# install-packages.sh build test ...: installs the packages of packages.txt
# that are needed for these and missing. Silent when there is nothing to do.
# Without the right to install, says what to type and fails.

set -euo pipefail
list=$(dirname "$0")/packages.txt

wanted=()
for use in "$@"; do
	mapfile -t -O "${#wanted[@]}" wanted < \
		<(awk -v use="$use" '$1 == use { print $2, $3 }' "$list")
done

missing=()
for line in "${wanted[@]}"; do
	read -r package command <<< "$line"
	[[ -z $command ]] || ! command -v "$command" > /dev/null || continue
	state=$(dpkg-query -W -f '${db:Status-Status}' "$package" \
		2>/dev/null) || true
	[[ $state == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

root=()
if [[ $(id -u) -ne 0 ]]; then
	if ! sudo -n true 2>/dev/null; then
		cat >&2 <<-EOF
		These packages are missing, and installing them needs root. Type

		    sudo apt-get install -y ${missing[*]}

		and try again.
		EOF
		exit 1
	fi
	root=(sudo -n)
fi

install() {
	"${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y \
		--no-install-recommends "${missing[@]}"
}

echo "Installing ${missing[*]}" >&2
# The lists may be absent or old; then fetch them and try once more.
install || { "${root[@]}" apt-get update && install; } || {
	echo "Installing failed. Check apt's sources, then type" >&2
	echo "    apt-get install -y ${missing[*]}" >&2
	exit 1
}
