#!/usr/bin/env node
// Every Node since 12.20 must be able to parse this file, so that an outdated Node can report the problem. Use
// no newer syntax here. Everything else is loaded later.
import { readFileSync } from 'node:fs'

const { version, engines } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)
const needed = engines.node.replace('>=', '')

if (isOlder(process.versions.node, needed)) {
  const found = `this is Node ${process.versions.node} (${process.execPath})`
  const advice = 'install a newer one from https://nodejs.org, and call casemill again'
  process.stderr.write(
    `casemill: ${found}, and casemill needs Node ${needed} or newer; ${advice}\n`,
  )
  process.exitCode = 1
} else if (process.argv.length === 3 && ['--version', '-V'].includes(String(process.argv[2]))) {
  // Fast path: scripts often request the version first.
  process.stdout.write(`${version}\n`)
} else {
  import('./program.ts').then(async ({ runCasemill }) => {
    process.exitCode = await runCasemill(process)
  })
}

function isOlder(found: string, wanted: string): boolean {
  const [major = 0, minor = 0] = found.split('.').map(Number)
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number)
  return major < wantedMajor || (major === wantedMajor && minor < wantedMinor)
}
