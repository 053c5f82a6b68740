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
  /** Of the lake, which need not be there. */
  readonly folder: string
  /** Id of the release; by default the current one. */
  readonly release?: string | undefined
  /** Whether values are written, too, that not everybody may read. */
  readonly controlled?: boolean | undefined
  /** Name and version of the program, for the log. */
  readonly writer: string
  readonly clock?: () => Date
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((step: LakeStep) => void) | undefined
}

/** How far an export is with one table. */
export interface LakeStep {
  readonly phase: string
  readonly done: number
  readonly total: number
}

export interface ExportedLake {
  readonly release: string
  readonly tables: readonly ExportedTable[]
}

/** What a table holds now. */
export interface ExportedTable {
  /** Its folder in the lake. */
  readonly name: string
  /** Of the Delta table, counted from 0. */
  readonly version: number
  /** Whether the export made that version; else the table had the release already. */
  readonly isNew: boolean
  readonly records: number
  readonly files: number
  readonly bytes: number
}

/** Where what only some may read lies: a folder that can have rights of its own. */
export const CONTROLLED_FOLDER = 'controlled'
/** Of exports that are under way. */
const WORK_FOLDER = '.export'
const LOCK_NAME = 'lock'
/** Below it: what nothing is gone on with. */
const TEMPORARY = 'temporary'
const WRITING_NAME = 'writing'
/** For its owner alone. */
const PRIVATE_MODE = 0o700

/** Of the release's arrays in memory. */
const ARRAY_BYTES = 64 << 20

/** One table of the lake. */
interface Table {
  readonly name: string
  readonly total: (release: Release) => number
  readonly write: (run: TableRun) => Promise<TableContents | undefined>
}

/** All tables; those of what only some may read come last. */
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
        // Documents are read twice.
        total: ({ manifest }) => 2 * manifest.datasets[name].rows,
        write: (run) => writeRecords(name, run),
      }),
    ),
    expression('open'),
    ...(isControlled ? [expression('controlled')] : []),
  ]
}

/**
 * Writes a release as Parquet files and commits it to a Delta table for each dataset, in which it replaces
 * the release before. All files are written before the first commit, so that tables change within a moment.
 * What an export that was broken off has written is taken over by the next one of the same release.
 * @throws EngineError not_found without such a release; conflict while another export runs, or when another
 *   program has changed a table; corrupt_source; unavailable when the disk is full
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
    // Nothing has ever been in it.
    if (now.version < 0) continue
    const sum = (of: (file: TableFile) => number) =>
      now.files.reduce((total, file) => total + of(file), 0)
    exported.push({
      ...{ name, version: now.version, isNew: now.version > state.version },
      ...{ records: sum(({ records }) => records), files: now.files.length },
      bytes: sum(({ size }) => size),
    })
  }
  return exported
}

/** Writes the files of tables that do not have the release, then commits it to all of them. */
async function bringUp(
  release: Release,
  tables: readonly (Table & { readonly state: TableState })[],
  what: ExportLake,
  workFolder: string,
): Promise<void> {
  const { folder, clock = () => new Date(), writer } = what
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
    await commitRelease(join(folder, name), state, made, { now: clock(), writer, workFolder })
  }
}

/** Every table has the release: nothing of it, or of exports that were killed, is gone on with. */
async function clearWork(workFolder: string): Promise<void> {
  for (const name of await readdir(workFolder)) {
    if (name !== LOCK_NAME) await rm(join(workFolder, name), { recursive: true, force: true })
  }
}

/** A table that had something, and has nothing of this release. */
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

/** DuckDB takes a fifth of a second to load: only an export that writes waits for it. */
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

/** What was written of tables and is not committed yet, for an export that goes on after one that was killed. */
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
 * Notes which release is written from now on. Files of another one that an export was writing when it was
 * killed, and that no commit names, are removed.
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
