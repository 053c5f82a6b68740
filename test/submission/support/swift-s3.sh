#!/bin/bash
# Runs OpenStack Swift as a storage server that speaks S3, in a new folder, until it is interrupted:
#   apt-get install --no-install-recommends swift-proxy swift-account swift-container swift-object
#   test/submission/support/swift-s3.sh FOLDER
# Then, elsewhere, with the settings that it prints:
#   npx vitest run --mode exhaustive test/submission/files-storage.exhaustive.test.ts
# The folder's file system has to have extended attributes. PYTHON names Debian's Python.
set -euo pipefail
mkdir -p "$1/devices/one"
folder=$(realpath "$1")
python=${PYTHON:-/usr/bin/python3}
builder=$(command -v swift-ring-builder)
proxy=6380

cat > "$folder/swift.conf" <<END
[swift-hash]
swift_hash_path_prefix = a
swift_hash_path_suffix = b
[storage-policy:0]
name = one
default = yes
END
# Swift looks for its settings in /etc alone.
cat > "$folder/run.py" <<END
import sys
import swift.common.utils
swift.common.utils.SWIFT_CONF_FILE = '$folder/swift.conf'
from swift.common.wsgi import run_wsgi
sys.exit(run_wsgi('$folder/' + sys.argv[1] + '.conf', sys.argv[1] + '-server', verbose=False))
END

settings() {
  printf '[DEFAULT]\nbind_ip = 127.0.0.1\nbind_port = %s\nuser = %s\nswift_dir = %s\n' "$1" "$(id -un)" "$folder"
  printf 'workers = 0\nlog_level = WARNING\n'
}
port=6300
for server in account container object; do
  {
    settings $port
    printf 'devices = %s/devices\nmount_check = false\n' "$folder"
    printf '[pipeline:main]\npipeline = %s-server\n[app:%s-server]\nuse = egg:swift#%s\n' $server $server $server
  } > "$folder/$server.conf"
  "$python" "$builder" "$folder/$server.builder" create 4 1 1
  "$python" "$builder" "$folder/$server.builder" add r1z1-127.0.0.1:$port/one 1
  "$python" "$builder" "$folder/$server.builder" rebalance
  port=$((port + 1))
done > "$folder/rings.log"
{
  settings $proxy
  filters='catch_errors cache listing_formats s3api tempauth copy slo dlo'
  printf '[pipeline:main]\npipeline = %s proxy-server\n' "$filters"
  printf '[app:proxy-server]\nuse = egg:swift#proxy\naccount_autocreate = true\n'
  for filter in $filters; do
    name=$filter
    [ "$filter" = cache ] && name=memcache
    printf '[filter:%s]\nuse = egg:swift#%s\n' "$filter" "$name"
    [ "$filter" = s3api ] && printf 'location = us-east-1\n'
    [ "$filter" = tempauth ] && printf 'user_test_tester = testing .admin\n'
  done
  true
} > "$folder/proxy.conf"

pids=()
trap 'kill "${pids[@]}"' EXIT
for server in account container object proxy; do
  "$python" "$folder/run.py" $server > "$folder/$server.log" 2>&1 &
  pids+=($!)
done
for port in 6300 6301 6302 $proxy; do
  until (: < "/dev/tcp/127.0.0.1/$port") 2> /dev/null; do sleep 0.2; done
done
echo "export TEST_S3_ENDPOINT=http://127.0.0.1:$proxy TEST_S3_KEY=test:tester TEST_S3_SECRET=testing"
wait
