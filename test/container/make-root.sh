#!/bin/sh
# Makes the root of a base image out of this machine: a Node, npm, and what both need to run.
# Stands in for the image that the Containerfile begins with, which no closed machine can fetch.
# make-root.sh NODE FOLDER
set -eu
node=$1
root=$2

mkdir -p "$root/usr/bin" "$root/usr/lib/node_modules" "$root/etc" "$root/proc" "$root/dev" "$root/root"
mkdir -p -m 1777 "$root/tmp"
ln -s usr/bin "$root/bin"

cp "$node" "$root/usr/bin/node"
npm=$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")
cp -a "$npm" "$root/usr/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/bin/npm"
for name in sh env mkdir chown; do
  cp "$(readlink -f "$(command -v "$name")")" "$root/usr/bin/$name"
done

# Libraries at the paths at which the programs look for them, and those that names are looked up with.
{
  for name in node sh env mkdir chown; do ldd "$root/usr/bin/$name"; done
  find /lib/*-linux-gnu* /usr/lib/*-linux-gnu* -maxdepth 1 -name 'libnss_*' -o -maxdepth 1 -name 'libresolv.so*'
} | grep -oE '/[^ ]+' | sort -u | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
# How the machine reaches a registry.
for path in /etc/hosts /etc/resolv.conf /etc/nsswitch.conf /etc/ssl /etc/npmrc "$HOME/.npmrc"; do
  if [ -e "$path" ]; then mkdir -p "$root$(dirname "$path")" && cp -aL "$path" "$root$path"; fi
done
# A build passes no variables on.
if [ -n "${NODE_EXTRA_CA_CERTS:-}" ]; then echo "cafile=$NODE_EXTRA_CA_CERTS" >>"$root/root/.npmrc"; fi
echo 'root:x:0:0::/root:/bin/sh' >"$root/etc/passwd"
echo 'root:x:0:' >"$root/etc/group"
