import { existsSync } from 'node:fs'
import { mkdir, rename, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { copyReleases } from './commons/release/copy-releases.ts'
import { copyStored } from './commons/upkeep/copy-stored.ts'
import type { MakeBytes } from './shared/blobs/made-store.ts'
import { FileCatalogue } from './shared/catalogue/files.ts'
import { statePath } from './shared/catalogue/state.ts'
import type { Database, Rows } from './shared/database/database.ts'
import { takeFolder } from './shared/database/folder-lock.ts'
import { databasePath } from './shared/database/open.ts'
import { SessionDatabase } from './shared/database/session-database.ts'
import { CallingBackend } from './shared/database/sqlite/calling-backend.ts'
import { copyDatabase } from './shared/database/sqlite/copy-database.ts'
import { syncFolder } from './shared/durable.ts'
import { EngineError } from './shared/errors.ts'
import { FolderCopy } from './shared/folder-copy.ts'
import type { Issue } from './shared/issue.ts'
import { unlessAbsent } from './shared/unless-absent.ts'
import { type StatePlace, sharedState } from './shared-state.ts'
import { UploadFolder } from './submission/files/upload-folder.ts'
import { uploadsAway } from './submission/files/uploads-away.ts'

interface Backup extends Omit<StatePlace, 'stateTimes'> {
  /** Path of the folder to make. It must not exist yet. */
  readonly target: string
  /** An earlier backup. Files that have not changed since are hard links to its files, not copies. */
  readonly previous?: string | undefined
  /** Makes the bytes of files that are on record and need not be stored. */
  readonly makeBytes?: MakeBytes | undefined
  readonly signal?: AbortSignal | undefined
  /** Called with the bytes of all stored files, and then with those of each when it is there. */
  readonly onTotal?: ((bytes: number) => void) | undefined
  readonly onBytes?: ((bytes: number) => void) | undefined
}

/** Each takes what the one before has not got; only the first takes long. */
const MAX_PASSES = 20

const UPLOADS = 'uploads'

/**
 * Copies a data folder while servers and imports work on it, to a folder that is one itself. What the
 * databases say of one moment is copied first; then what they speak of, which is there since before. What
 * went meanwhile has the databases copied anew, until nothing does. The target appears when all of it is
 * on the disk. One that is broken off goes on when called again.
 *
 * With a state URL the state that servers share is not copied: a dump of that database is to be made
 * before.
 * @returns files that the databases list and that are missing in the data folder
 * @throws EngineError not_found without a data folder, already_exists, unavailable while another one is
 *   made to the same place, busy when things move all the time
 */
export async function backUp(what: Backup): Promise<readonly Issue[]> {
  const { dataFolder, previous } = what
  const target = resolve(what.target)
  for (const folder of previous === undefined ? [dataFolder] : [dataFolder, previous]) {
    // With a database elsewhere, a data folder may hold next to nothing.
    if (existsSync(what.stateUrl === undefined ? statePath(folder) : folder)) continue
    throw new EngineError('not_found', `no casemill data in "${folder}"; give another folder`)
  }
  if (await unlessAbsent(stat(target))) {
    const message = `"${what.target}" is there already; give a folder that is not there yet`
    throw new EngineError('already_exists', message)
  }
  const part = `${target}.part`
  await mkdir(part, { recursive: true })
  const giveBack = takeFolder(part)
  try {
    const copy = new FolderCopy({ ...what, from: dataFolder, to: part })
    const missing = await copyAll(copy, what)
    await copy.sync()
    await syncFolder(part)
    await rename(part, target)
    await syncFolder(dirname(target))
    return missing.map((subject) => ({ subject, problem: 'is not in the data folder' }))
  } finally {
    giveBack()
  }
}

/** @returns paths of files that the databases list and that do not exist */
async function copyAll(copy: FolderCopy, what: Backup): Promise<readonly string[]> {
  let before = 'none yet'
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    // What comes behind the first pass takes no time to speak of.
    const { onTotal, onBytes, ...place } = what
    const missing = (await copyOnce(copy, pass === 0 ? what : place)).toSorted()
    // What is missing time and again does not move.
    if (missing.length === 0 || missing.join('\n') === before) return missing
    before = missing.join('\n')
  }
  const message = `files are removed or replaced all the time, in each of ${MAX_PASSES} tries; try again later`
  throw new EngineError('busy', message)
}

async function copyOnce(copy: FolderCopy, what: Backup): Promise<readonly string[]> {
  const { from, to } = copy
  const { makeBytes, onTotal, onBytes } = what
  const mutable = { isFinal: false }
  // A part whose arrival was confirmed to a client is in this folder now, or already stored.
  await copy.folder(UPLOADS, undefined, mutable)
  const isEmbedded = what.stateUrl === undefined
  const hasSubmissions = isEmbedded && (await copyDatabase(databasePath(from), databasePath(to)))
  await copy.folder(UPLOADS, undefined, mutable)
  await copy.keepOnly(UPLOADS, await copy.names(UPLOADS))
  await copyDatabase(statePath(from), statePath(to))
  const missing = [...(await copyReleases(copy))]
  const state = isEmbedded ? opened(statePath(to)) : sharedState(what)
  const now = isEmbedded ? opened(statePath(from)) : state
  try {
    const files = new FileCatalogue(state)
    onTotal?.((await files.totals()).bytes)
    const stored = { copy, files, now: new FileCatalogue(now), makeBytes, onBytes }
    missing.push(...(await copyStored(stored)))
    if (hasSubmissions) {
      const folder = new UploadFolder(join(to, UPLOADS))
      const away = await reading(databasePath(to), (rows) => uploadsAway(rows, folder, files))
      missing.push(...away.map((id) => join(UPLOADS, id)))
    }
  } finally {
    await state.close()
    if (now !== state) await now.close()
  }
  return missing
}

/** As it is: the copy of a database has the form that it came in. */
function opened(path: string): Database {
  return new SessionDatabase(new CallingBackend(path, `database "${path}"`))
}

async function reading<Result>(
  path: string,
  work: (rows: Rows) => Promise<Result>,
): Promise<Result> {
  const database = opened(path)
  try {
    return await database.read(work)
  } finally {
    await database.close()
  }
}
