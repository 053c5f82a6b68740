import { inlineExecutor, openEngine } from '../../../engine/index.ts'
import { Releases } from '../../../engine/release/releases.ts'

// Releases what is in a data folder until a moment comes, and ends itself as nothing else would:
// `node release-until.ts FOLDER MOMENT`.

const [dataFolder = '', moment = ''] = process.argv.slice(2)
const die = () => process.kill(process.pid, 'SIGKILL')
const dieAt = (name: string) => void (name === moment && die())

const engine = await openEngine({ dataFolder, executor: inlineExecutor })
const { database, files } = engine

const { switchTo } = Releases.prototype
Releases.prototype.switchTo = async function (id) {
  dieAt('built')
  await switchTo.call(this, id)
  dieAt('switched')
}
const addAll = files.addAll.bind(files)
files.addAll = (rows) => {
  addAll(rows)
  if (rows.some(({ access }) => access === 'open')) dieAt('opened')
}
const write = database.write.bind(database)
database.write = async (work) => {
  const result = await write(async (transaction) => {
    const inside = await work(transaction)
    dieAt('marking')
    return inside
  })
  dieAt('marked')
  return result
}
await engine.releasing.release({ onProgress: ({ phase }) => dieAt(phase) })
process.stdout.write('released\n')
await engine.close()
