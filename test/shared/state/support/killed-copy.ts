import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import type { StateCopy } from '../../../../engine/state-copy.ts'

// Copies state and ends as by kill -9: after the given number of tables, or before the given rename.

const [to, dataFolder = '', stateUrl = '', where, number] = process.argv.slice(2)
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

const { copyState } = await import('../../../../engine/state-copy.ts')
await copyState({
  dataFolder,
  stateUrl,
  to: to as StateCopy['to'],
  onTable: () => count('table'),
})
count('end')
