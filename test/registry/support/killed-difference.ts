import { deliver } from '../../../bin/deliver.ts'
import { openTerminal } from '../../../bin/terminal.ts'
import { Staging } from '../../../engine/registry/index.ts'
import { sharedState } from '../../../engine/shared-state.ts'

// Writes the difference of two versions to a file as the command does, and ends as by kill -9 after the given
// number of chunks.

const [dataFolder = '', output = '', chunks = ''] = process.argv.slice(2)
const staging = new Staging({ state: sharedState({ dataFolder }), clock: () => new Date() })
const reader = { user: 'reader', roles: new Set<never>() }
const version = staging.version(reader, { algorithm: 'demo', version: '1.1' })
const difference = await version.difference({ from: '1.0', format: 'ndjson' })

async function* killed() {
  let left = Number(chunks)
  for await (const chunk of difference.body) {
    if (left-- === 0) process.kill(process.pid, 'SIGKILL')
    yield chunk
  }
}
await deliver({ ...difference, body: killed() }, output, openTerminal(process))
