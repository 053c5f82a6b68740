import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

// Stores a CRAM file and ends as by kill -9: while its bytes are verified, or before the rename of the given number.

const [dataFolder = '', path = '', id = '', where, number] = process.argv.slice(2)
let left = Number(number)

const count = (what: string) => {
  if (what === where && left-- === 0) process.kill(process.pid, 'SIGKILL')
}

const { rename } = promises
promises.rename = async (from, into) => {
  count('rename')
  await rename(from, into)
}
const { renameSync } = fs
fs.renameSync = (from, into) => {
  count('rename')
  renameSync(from, into)
}
syncBuiltinESMExports()

const { openEngine } = await import('../../../../engine/index.ts')
const { inlineExecutor } = await import('../../../../engine/shared/index.ts')
const engine = await openEngine({ dataFolder, executor: inlineExecutor })
await engine.commons.importBam(
  { path, id, kind: 'CRAM', access: 'open' },
  { onProgress: () => count('progress') },
)
await engine.close()
