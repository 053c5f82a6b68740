import { join } from 'node:path'
import { BlobStores } from '../../../engine/blobs/blob-stores.ts'
import { FolderStore } from '../../../engine/blobs/folder-store.ts'
import { databasePath, openDatabase } from '../../../engine/database/open.ts'
import { inlineThread } from '../../../engine/database/sqlite/inline-thread.ts'
import { LoadedDictionary } from '../../../engine/dictionary/loaded-dictionary.ts'
import { inlineExecutor } from '../../../engine/executor.ts'
import { Releases } from '../../../engine/release/releases.ts'
import { Releasing } from '../../../engine/releasing/releasing.ts'
import { FileCatalogue } from '../../../engine/store/files.ts'
import { openState, statePath } from '../../../engine/store/state.ts'
import { SUBMISSION_ROOM } from '../../../engine/submission/store/tables.ts'

// Releases what is in a data folder until a moment comes, and ends itself as nothing else would:
// `node release-until.ts FOLDER MOMENT`.

const [dataFolder = '', moment = ''] = process.argv.slice(2)
const dieAt = (name: string) => void (name === moment && process.kill(process.pid, 'SIGKILL'))

const place = { path: databasePath(dataFolder), startThread: inlineThread }
const database = await openDatabase(place, [SUBMISSION_ROOM])
const files = new FileCatalogue(openState(statePath(dataFolder)))

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
  const result = await write(work)
  dieAt('marked')
  return result
}
const releasing = new Releasing({
  ...{ database, files, dataFolder, executor: inlineExecutor, clock: () => new Date() },
  dictionary: new LoadedDictionary(inlineExecutor, undefined),
  blobs: new BlobStores(new FolderStore(join(dataFolder, 'files'))),
  releases: new Releases(dataFolder),
})
await releasing.release({ onProgress: ({ phase }) => dieAt(phase) })
process.stdout.write('released\n')
