#!/usr/bin/env bash
# Ceph's object gateway 16.2.15 of Debian 12 copies an object although x-amz-copy-source-if-match names another entity
# tag. It looks for the condition in x-amz-copy-if-match, a header that S3 does not have. A client that relies on the
# condition joins bytes of two versions of an object without an error. Needs radosgw, ceph-mon, ceph-osd, curl
# and openssl.
set -euo pipefail
folder=$(mktemp -d -p /dev/shm)
pids=()
trap 'kill -KILL "${pids[@]}"; wait "${pids[@]}" 2>/dev/null || true; rm -rf "$folder"' EXIT
port=$((20000 + RANDOM % 10000))
monitor="[v2:127.0.0.1:$((port + 1))]"
fsid=$(cat /proc/sys/kernel/random/uuid)
key=$(ceph-authtool --gen-print-key)
mkdir "$folder/mon" "$folder/osd"
cat > "$folder/keyring" <<END
[mon.]
key = $key
caps mon = "allow *"
[client.admin]
key = $key
caps mon = "allow *"
caps osd = "allow *"
[osd.0]
key = $key
caps mon = "allow profile osd"
caps osd = "allow *"
END
export CEPH_CONF=$folder/ceph.conf
cat > "$CEPH_CONF" <<END
[global]
fsid = $fsid
mon host = $monitor
mon initial members = a
public addr = 127.0.0.1
ms bind msgr1 = false
keyring = $folder/keyring
run dir = $folder
log file = $folder/\$name.log
admin socket =
mon data = $folder/mon
osd data = $folder/osd
osd objectstore = memstore
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
paxos propose interval = 0.02
rgw frontends = beast endpoint=127.0.0.1:$port
END
{
  monmaptool --create --addv a "$monitor" --fsid "$fsid" "$folder/map"
  ceph-mon -i a --mkfs --monmap "$folder/map" --keyring "$folder/keyring"
  ceph-mon -i a -f & pids+=($!)
  ceph osd new "$fsid" 0
  ceph-osd -i 0 --mkfs --osd-uuid "$fsid"
  ceph-osd -i 0 -f & pids+=($!)
  radosgw-admin user create --uid=a --display-name=a --access-key=KEY --secret-key=SECRET
  radosgw -n client.admin -f & pids+=($!)
  until curl -s "http://127.0.0.1:$port/"; do sleep 0.1; done
} > "$folder/said" 2>&1
radosgw --version
put() { # PATH [AMZ_HEADER]... - the status of a PUT, signed in the older way that openssl is enough for; headers sorted
  local path=$1 date lines='' words=() header signature
  shift
  date=$(LC_ALL=C date -u '+%a, %d %b %Y %H:%M:%S GMT')
  for header; do
    lines+="${header/: /:}"$'\n'
    words+=(-H "$header")
  done
  signature=$(printf 'PUT\n\n\n%s\n%s%s' "$date" "$lines" "$path" | openssl dgst -sha1 -hmac SECRET -binary | base64)
  curl -s -o /dev/null -w '%{http_code}' -X PUT -H "Date: $date" -H "Authorization: AWS KEY:$signature" \
    -H 'Content-Type:' --data-binary "${body-new}" "${words[@]}" "http://127.0.0.1:$port$path"
}
body= put /bucket > /dev/null
put /bucket/from > /dev/null
old='"0123456789abcdef0123456789abcdef"'
right=$(put /bucket/to 'x-amz-copy-source: bucket/from' "x-amz-copy-source-if-match: $old")
wrong=$(put /bucket/to "x-amz-copy-if-match: $old" 'x-amz-copy-source: bucket/from')
echo "x-amz-copy-source-if-match of another tag: $right (S3 answers 412)"
echo "x-amz-copy-if-match of another tag: $wrong"
[ "$right" = 200 ] && [ "$wrong" = 412 ]
