#!/usr/bin/env node
import pkg from '../package.json' with { type: 'json' }

const [, , word, ...rest] = process.argv

// Scripts ask for the version before they do anything else. It needs nothing of the program.
if ((word === '--version' || word === '-V') && rest.length === 0) {
  process.stdout.write(`${pkg.version}\n`)
} else {
  const { runCasemill } = await import('./program.ts')
  process.exitCode = await runCasemill(process)
}
