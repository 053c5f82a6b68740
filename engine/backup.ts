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
  /** Path of the folder to create. It must not exist. */
  readonly target: string
  /** Earlier backup. Files that have not changed since are hard-linked to it instead of copied. */
  readonly previous?: string | undefined
  /** Generates files that are recorded but need not be stored. */
  readonly makeBytes?: MakeBytes | undefined
  readonly signal?: AbortSignal | undefined
  /** Called once with the total size of all stored files in bytes. */
  readonly onTotal?: ((bytes: number) => void) | undefined
  /** Called with the size in bytes of each stored file after it was copied. */
  readonly onBytes?: ((bytes: number) => void) | undefined
}

/** Maximum number of passes. Each copies only what changed during the one before, so only the first is slow. */
const MAX_PASSES = 20

const UPLOADS = 'uploads'

/**
 * Copies a data folder to a new data folder, while servers and imports use it. First the databases are copied
 * as of one moment, then the files that they list, which existed before. If a listed file has been removed
 * meanwhile, everything is copied again until no file is missing. The target folder appears when the copy is
 * complete and on disk. An interrupted copy continues when called again.
 * With `stateUrl`, the shared database is not copied. Dump it before.
 * @returns files that the databases list but the data folder does not have
 * @throws EngineError not_found without a data folder; already_exists; unavailable while another backup writes
 * to the same folder; busy if files keep changing
 */
export async function backUp(what: Backup): Promise<readonly Issue[]> {
  const { dataFolder, previous } = what
  const target = resolve(what.target)
  for (const folder of previous === undefined ? [dataFolder] : [dataFolder, previous]) {
    // With an external database, a data folder may be almost empty.
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

/**
 * Repeats the copy until the databases and the files agree.
 * @returns paths of files that the databases list and that do not exist
 */
async function copyAll(copy: FolderCopy, what: Backup): Promise<readonly string[]> {
  let before = 'none yet'
  for (let pass = 0; pass < MAX_PASSES; pass++) {
    // Passes after the first are short and report no progress.
    const { onTotal, onBytes, ...place } = what
    const missing = (await copyOnce(copy, pass === 0 ? what : place)).toSorted()
    // Files that are missing in two passes are lost, not moved.
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
  // Every upload part that was acknowledged to a client is in this folder now, or already stored.
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

/** Opens a copied database without migrating it, so that the copy keeps the schema version of the original. */
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
