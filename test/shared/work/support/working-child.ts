import { writeSync } from 'node:fs'
import { WorkQueue } from '../../../../engine/shared/work/work-queue.ts'
import { sharedState } from '../../../../engine/shared-state.ts'

// Works on tasks of the kind "slow" until it is killed or told to stop, and prints the input of each.

const [dataFolder = '', stateUrl, lookMilliseconds = '5000'] = process.argv.slice(2)
const database = sharedState({ dataFolder, stateUrl: stateUrl || undefined })
const queue = new WorkQueue({
  database,
  clock: () => new Date(),
  report: () => {},
  times: { lookMilliseconds: Number(lookMilliseconds) },
})
queue.work('slow', ({ name = '' }, { signal }) => {
  writeSync(1, `${name}\n`)
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
})
queue.start()
const alive = setInterval(() => {}, 1000)
process.once('SIGTERM', async () => {
  await queue.close()
  await database.close()
  clearInterval(alive)
})
