import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { tryLock } from '../../shared/database/folder-lock.ts'
import { diskFull, isDiskFull } from '../../shared/disk-space.ts'
import { writeDurably } from '../../shared/durable.ts'
import { EngineError } from '../../shared/errors.ts'
import { NO_PATH, unlessAbsent } from '../../shared/unless-absent.ts'
import { DATASET_NAMES } from '../datasets/define.ts'
import { Release } from '../release/release.ts'
import { Releases } from '../release/releases.ts'
import {
  commitRelease,
  readLog,
  type TableContents,
  type TableFile,
  type TableState,
} from './delta-log.ts'
import { type ExpressionShare, writeExpression } from './expression-table.ts'
import type { ParquetParts } from './parquet-parts.ts'
import { type TableRun, writeRecords } from './record-table.ts'

export interface ExportLake {
  readonly dataFolder: string
  /** Folder of the lake. It is created if needed. */
  readonly folder: string
  /** Release id; defaults to the current release. */
  readonly release?: string | undefined
  /** Whether to export controlled-access values too. */
  readonly controlled?: boolean | undefined
  /** Program name and version, written to the log. */
  readonly writer: string
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: LakeStep) => void) | undefined
}

/** Progress of an export in one table. */
export interface LakeStep {
  readonly phase: string
  readonly done: number
  readonly total: number
}

export interface ExportedLake {
  readonly release: string
  readonly tables: readonly ExportedTable[]
}

/** State of a table after the export. */
export interface ExportedTable {
  /** Folder of the table within the lake. */
  readonly name: string
  /** Version of the Delta table, counted from 0. */
  readonly version: number
  /** Whether this export has created the version. False if the table already had the release. */
  readonly isNew: boolean
  readonly records: number
  readonly files: number
  readonly bytes: number
}

/** Folder of the tables with controlled access. It is separate, so that it can have permissions of its own. */
const CONTROLLED_FOLDER = 'controlled'
/** Work folder of a running export. */
const WORK_FOLDER = '.export'
const LOCK_NAME = 'lock'
/** Folder within the work folder for files that an interrupted export never reuses. */
const TEMPORARY = 'temporary'
const WRITING_NAME = 'writing'
/** Only the owner of the process may read the work folder. */
const PRIVATE_MODE = 0o700

/** Memory limit for the release's arrays. */
const ARRAY_BYTES = 64 << 20

/** A table of the lake. */
interface Table {
  readonly name: string
  readonly total: (release: Release) => number
  readonly write: (run: TableRun) => Promise<TableContents | undefined>
}

/** Returns all tables of the lake, controlled-access tables last. */
function tablesOf(isControlled: boolean): readonly Table[] {
  const expression = (share: ExpressionShare): Table => ({
    name: share === 'open' ? 'expression' : `${CONTROLLED_FOLDER}/expression`,
    total: () => 0,
    write: (run) => writeExpression({ ...run, share }),
  })
  return [
    ...DATASET_NAMES.map(
      (name): Table => ({
        name,
        // Every document is read twice: once for the columns, once for the values.
        total: ({ manifest }) => 2 * manifest.datasets[name].rows,
        write: (run) => writeRecords(name, run),
      }),
    ),
    expression('open'),
    ...(isControlled ? [expression('controlled')] : []),
  ]
}

/**
 * Writes a release as Parquet files and commits it to one Delta table per dataset. It replaces the previous
 * release there. All files are written before the first commit, so that the tables change almost at the same
 * time. The next export of the same release reuses files of an interrupted export.
 * @throws EngineError not_found if there is no such release; conflict if another export is running or another
 *   program has changed a table; corrupt_source; unavailable if the disk is full
 */
export async function exportLake(what: ExportLake): Promise<ExportedLake> {
  const { dataFolder, folder, release: named } = what
  const releases = new Releases(dataFolder)
  const id = named ?? (await releases.current())
  if (id === undefined) {
    throw new EngineError('not_found', 'the data folder has no release to export')
  }
  const release = await Release.open(releases.folder(id), { memory: ARRAY_BYTES })
  try {
    const workFolder = join(folder, WORK_FOLDER)
    await mkdir(workFolder, { recursive: true, mode: PRIVATE_MODE })
    const giveBack = tryLock(join(workFolder, LOCK_NAME), `the lock of lake "${folder}"`)
    if (!giveBack) {
      const message = `another export writes into "${folder}"; wait until it is done`
      throw new EngineError('conflict', message)
    }
    try {
      return { release: id, tables: await exportTables(release, what, workFolder) }
    } finally {
      giveBack()
    }
  } catch (error) {
    throw isDiskFull(error) ? diskFull(`release "${id}"`, error) : error
  } finally {
    await release.close()
  }
}

async function exportTables(
  release: Release,
  what: ExportLake,
  workFolder: string,
): Promise<readonly ExportedTable[]> {
  const { folder, controlled = false } = what
  if (controlled) {
    const path = join(folder, CONTROLLED_FOLDER)
    await mkdir(path, { recursive: true, mode: PRIVATE_MODE })
  }
  const tables: (Table & { readonly state: TableState })[] = []
  for (const table of tablesOf(controlled)) {
    tables.push({ ...table, state: await readLog(join(folder, table.name)) })
  }
  const stale = tables.filter(({ state }) => state.release !== release.id)
  if (stale.length > 0) await bringUp(release, stale, what, workFolder)
  await clearWork(workFolder)
  const exported: ExportedTable[] = []
  for (const { name, state } of tables) {
    const now = await readLog(join(folder, name))
    // The table has never had a commit.
    if (now.version < 0) continue
    const sum = (of: (file: TableFile) => number) =>
      now.files.reduce((total, file) => total + of(file), 0)
    exported.push({
      name,
      version: now.version,
      isNew: now.version > state.version,
      records: sum(({ records }) => records),
      files: now.files.length,
      bytes: sum(({ size }) => size),
    })
  }
  return exported
}

/** Writes files for the tables that do not have the release yet. Then commits the release to all of them. */
async function bringUp(
  release: Release,
  tables: readonly (Table & { readonly state: TableState })[],
  what: ExportLake,
  workFolder: string,
): Promise<void> {
  const { folder, writer } = what
  const staged = new StagedContents(workFolder)
  await removeOthers(release.id, tables, { folder, workFolder })
  const contents: (TableContents | undefined)[] = []
  const temporary = join(workFolder, TEMPORARY)
  await rm(temporary, { recursive: true, force: true })
  await mkdir(temporary)
  const parts = new LazyParts(temporary)
  try {
    for (const table of tables) {
      const path = join(folder, table.name)
      const known = table.state.releases.get(release.id) ?? (await staged.read(table.name))
      if (known?.release === release.id && (await areThere(path, known))) {
        contents.push(known)
        continue
      }
      const written = await writeTable(release, table, what, { path, temporary, parts })
      if (written) await staged.write(table.name, written)
      contents.push(written ?? emptied(release.id, table.state))
    }
  } finally {
    parts.close()
    await rm(temporary, { recursive: true, force: true })
  }
  for (const [i, { name, state }] of tables.entries()) {
    const made = contents[i]
    if (!made) continue
    await commitRelease(join(folder, name), state, made, { now: new Date(), writer, workFolder })
  }
}

/** Removes all work files once every table has the release, including leftovers of killed exports. */
async function clearWork(workFolder: string): Promise<void> {
  for (const name of await readdir(workFolder)) {
    if (name !== LOCK_NAME) await rm(join(workFolder, name), { recursive: true, force: true })
  }
}

/** Returns empty contents for a table that had rows before and has none in this release. */
function emptied(release: string, { metadata }: TableState): TableContents | undefined {
  if (!metadata) return undefined
  const { schemaString, partitionColumns } = metadata
  return { release, schemaString, partitionColumns, files: [] }
}

interface TablePlace {
  readonly path: string
  readonly temporary: string
  readonly parts: LazyParts
}

async function writeTable(
  release: Release,
  { name, total, write }: Table,
  { signal = NEVER, onProgress }: ExportLake,
  { path, temporary, parts }: TablePlace,
): Promise<TableContents | undefined> {
  let done = 0
  const onRows = (rows: number) => {
    done += rows
    onProgress?.({ phase: name, done, total: total(release) })
  }
  const run = {
    release,
    folder: path,
    workFolder: temporary,
    parts: await parts.open(),
    signal,
    onRows,
  }
  return write(run)
}

const NEVER = new AbortController().signal

/** Opens DuckDB on first use. Opening takes 0.2 seconds, which an export without changes saves. */
class LazyParts {
  readonly #workFolder: string
  #parts: ParquetParts | undefined

  constructor(workFolder: string) {
    this.#workFolder = workFolder
  }

  async open(): Promise<ParquetParts> {
    if (!this.#parts) {
      const { ParquetParts: Parts } = await import('./parquet-parts.ts')
      this.#parts = await Parts.open(this.#workFolder)
    }
    return this.#parts
  }

  close(): void {
    this.#parts?.close()
  }
}

/** Table contents that are written but not committed yet. They let an export resume after it was killed. */
class StagedContents {
  readonly #workFolder: string

  constructor(workFolder: string) {
    this.#workFolder = workFolder
  }

  async read(table: string): Promise<TableContents | undefined> {
    const text = await unlessAbsent(readFile(join(this.#workFolder, stagedName(table)), 'utf8'))
    return text === undefined ? undefined : (JSON.parse(text) as TableContents)
  }

  async write(table: string, contents: TableContents): Promise<void> {
    await writeDurably(this.#workFolder, stagedName(table), JSON.stringify(contents))
  }
}

const stagedName = (table: string) => `${table.replace('/', '-')}.json`

async function areThere(path: string, { files }: TableContents): Promise<boolean> {
  for (const file of files) {
    const stats = await unlessAbsent(stat(join(path, decodeURI(file.path))), NO_PATH)
    if (stats?.size !== file.size) return false
  }
  return true
}

/**
 * Records which release is being written. If an export that was killed had been writing another release, removes
 * its files that no commit refers to.
 */
async function removeOthers(
  id: string,
  tables: readonly (Table & { readonly state: TableState })[],
  { folder, workFolder }: { readonly folder: string; readonly workFolder: string },
): Promise<void> {
  const before = await unlessAbsent(readFile(join(workFolder, WRITING_NAME), 'utf8'))
  if (before !== undefined && before !== id) {
    for (const { name, state } of tables) {
      if (state.releases.has(before)) continue
      const path = join(folder, name, `release=${encodeURIComponent(before)}`)
      await rm(path, { recursive: true, force: true })
    }
  }
  await writeDurably(workFolder, WRITING_NAME, id)
}
