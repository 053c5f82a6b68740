import { Releases } from '../../../../engine/commons/release/releases.ts'
import { openEngine } from '../../../../engine/index.ts'
import { inlineExecutor } from '../../../../engine/shared/index.ts'

// Releases the contents of a data folder up to a given moment, and ends itself abruptly: `node release-until.ts
// FOLDER MOMENT`.

const [dataFolder = '', moment = ''] = process.argv.slice(2)
const dieAt = (name: string) => void (name === moment && process.kill(process.pid, 'SIGKILL'))

const { shared, submission } = await openEngine({ dataFolder, executor: inlineExecutor })
const { files } = shared
const { database, releasing } = submission

const { switchTo } = Releases.prototype
Releases.prototype.switchTo = async function (id) {
  dieAt('built')
  await switchTo.call(this, id)
  dieAt('switched')
}
const addAll = files.addAll.bind(files)
files.addAll = async (rows) => {
  await addAll(rows)
  if (rows.some(({ access }) => access === 'open')) dieAt('opened')
}
const write = database.write.bind(database)
database.write = async (work) => {
  const result = await write(work)
  dieAt('marked')
  return result
}
await releasing.release({ onProgress: ({ phase }) => dieAt(phase) })
process.stdout.write('released\n')
