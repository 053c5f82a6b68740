#!/usr/bin/env bash
# prom-client 15.1.3: collectDefaultMetrics keeps a registry alive for as long as the process runs, since its
# observer of garbage collection cannot be stopped. Whoever makes a registry for each server of one process, and puts
# gauges with closures into it, keeps every server that ever was.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts prom-client@15.1.3
cat >held.cjs <<'JS'
const { Registry, Gauge, collectDefaultMetrics } = require('prom-client')
const { setTimeout: wait } = require('node:timers/promises')

function make(withDefaults) {
  const register = new Registry()
  const payload = { bytes: new Uint8Array(1 << 20) }
  new Gauge({ name: 'size', help: 'h', registers: [register], collect() { this.set(payload.bytes.length) } })
  if (withDefaults) collectDefaultMetrics({ register })
  register.clear()
  return new WeakRef(register)
}

async function isCollected(withDefaults) {
  const held = make(withDefaults)
  for (let i = 0; i < 20; i++) {
    await wait(20)
    globalThis.gc()
  }
  return held.deref() === undefined
}

isCollected(false).then(async (plain) => {
  const defaults = await isCollected(true)
  console.log(`prom-client ${require('prom-client/package.json').version}`)
  console.log(`registry without default metrics, cleared and dropped: ${plain ? 'collected' : 'still held'}`)
  console.log(`registry with default metrics, cleared and dropped: ${defaults ? 'collected' : 'still held'}`)
  process.exit(plain && !defaults ? 0 : 1)
})
JS
node --expose-gc held.cjs
