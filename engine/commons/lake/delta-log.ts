import { link, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeDurably } from '../../shared/durable.ts'
import { EngineError } from '../../shared/errors.ts'
import { isObject } from '../../shared/input/unknowns.ts'
import { NO_PATH, unlessAbsent } from '../../shared/unless-absent.ts'
import { deltaType, type StructType, TEXT } from './lake-type.ts'

/** A data file of a Delta table, as described by an `add` action in the log. */
export interface TableFile {
  /** Path relative to the table's folder, URI-encoded. */
  readonly path: string
  /** Value of each partition column. An empty string stands for null. */
  readonly partitionValues: Readonly<Record<string, string>>
  readonly size: number
  /** Unix time in milliseconds. */
  readonly modificationTime: number
  readonly records: number
}

/** The contents that a table has for one release. */
export interface TableContents {
  readonly release: string
  readonly schemaString: string
  readonly partitionColumns: readonly string[]
  readonly files: readonly TableFile[]
}

/** State of a table after its log has been replayed. */
export interface TableState {
  /** Version of the last commit, or -1 if the table has no commits. */
  readonly version: number
  /** Id of the release in casemill's last commit. Undefined if there is none. */
  readonly release: string | undefined
  /** Files that are in the table now. */
  readonly files: readonly TableFile[]
  /** Contents committed for each release, keyed by release id. */
  readonly releases: ReadonlyMap<string, TableContents>
  readonly metadata: Metadata | undefined
}

interface Metadata {
  readonly id: string
  readonly schemaString: string
  readonly partitionColumns: readonly string[]
}

interface CommitRun {
  readonly now: Date
  /** Program name and version: `casemill` and its version. */
  readonly writer: string
  /** Scratch folder on the same disk as the table. */
  readonly workFolder: string
}

export const LOG_FOLDER = '_delta_log'
const LOG_FILE = /^\d{20}\.json$/
/** Protocol version that needs no table features. Every Delta reader supports it. */
const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 } as const
/** Matches the writer name in our own commits. */
const OWN_WRITER = /^casemill\b/

export const logName = (version: number) => `${String(version).padStart(20, '0')}.json`

/**
 * Replays the log of a table. A folder without a log is a table without commits.
 * @throws EngineError conflict if the log has a gap, is invalid or needs a newer protocol. Other commits of other
 *   programs, such as a compaction, are applied.
 */
export async function readLog(table: string): Promise<TableState> {
  const folder = join(table, LOG_FOLDER)
  const names = ((await unlessAbsent(readdir(folder), NO_PATH)) ?? []).filter((name) =>
    LOG_FILE.test(name),
  )
  const active = new Map<string, TableFile>()
  const releases = new Map<string, TableContents>()
  let release: string | undefined
  let metadata: Metadata | undefined
  for (const [version, name] of names.sort().entries()) {
    if (name !== logName(version)) {
      throw foreign(table, `has no ${LOG_FOLDER}/${logName(version)}`)
    }
    const files: TableFile[] = []
    let isOwn = false
    for (const line of (await readFile(join(folder, name), 'utf8')).split('\n')) {
      if (line === '') continue
      const { add, remove, metaData, protocol, commitInfo } = actionOf(line, table)
      if (add) {
        active.set(add.path, add)
        files.push(add)
      }
      if (remove) active.delete(remove.path)
      if (metaData) metadata = metaData
      if (protocol && !isOwnProtocol(protocol)) {
        throw foreign(table, 'needs a newer version of the Delta protocol')
      }
      if (commitInfo && OWN_WRITER.test(commitInfo.engineInfo ?? '')) {
        release = commitInfo.userMetadata
        isOwn = true
      }
    }
    if (isOwn && release !== undefined && metadata) {
      const { schemaString, partitionColumns } = metadata
      releases.set(release, { release, schemaString, partitionColumns, files })
    }
  }
  return { version: names.length - 1, release, files: [...active.values()], releases, metadata }
}

interface Action {
  readonly add?: TableFile
  readonly remove?: { readonly path: string }
  readonly metaData?: Metadata
  readonly protocol?: typeof PROTOCOL
  readonly commitInfo?: { readonly engineInfo?: string; readonly userMetadata?: string }
}

function actionOf(line: string, table: string): Action {
  const action: unknown = JSON.parse(line)
  if (!isObject(action)) throw foreign(table, 'has an invalid log')
  const { add } = action
  if (!isObject(add)) return action as Action
  const stats: unknown = typeof add.stats === 'string' ? JSON.parse(add.stats) : undefined
  const records = isObject(stats) ? Number(stats.numRecords ?? 0) : 0
  return { add: { ...(add as unknown as Omit<TableFile, 'records'>), records } }
}

const isOwnProtocol = ({ minReaderVersion, minWriterVersion }: typeof PROTOCOL) =>
  minReaderVersion <= PROTOCOL.minReaderVersion && minWriterVersion <= PROTOCOL.minWriterVersion

function foreign(table: string, why: string): EngineError {
  const message = `table "${table}" ${why}, so another program changed it; give another folder`
  return new EngineError('conflict', message)
}

/**
 * Replaces the contents of a table with those of a release, in one atomic commit. The files must already be on
 * disk.
 * @throws EngineError conflict if another export has already committed this version
 */
export async function commitRelease(
  table: string,
  state: TableState,
  contents: TableContents,
  { now, writer, workFolder }: CommitRun,
): Promise<void> {
  const { release, partitionColumns } = contents
  const timestamp = now.getTime()
  const isSame = state.metadata?.schemaString === contents.schemaString
  const kept = new Set(contents.files.map(({ path }) => path))
  const actions = [
    {
      commitInfo: {
        timestamp,
        operation: 'WRITE',
        operationParameters: {
          mode: 'Overwrite',
          partitionBy: JSON.stringify(partitionColumns),
        },
        isBlindAppend: false,
        engineInfo: writer,
        userMetadata: release,
      },
    },
    ...(state.version < 0 ? [{ protocol: PROTOCOL }] : []),
    ...(isSame ? [] : [{ metaData: metadataOf(state, contents, timestamp) }]),
    ...state.files.filter(({ path }) => !kept.has(path)).map((file) => removeOf(file, timestamp)),
    // Files that stay are added again, because readLog takes the files of a release from the adds of its commit.
    ...contents.files.map(addOf),
  ]
  const text = actions.map((action) => `${JSON.stringify(action)}\n`).join('')
  const folder = join(table, LOG_FOLDER)
  const name = logName(state.version + 1)
  await mkdir(folder, { recursive: true })
  await writeDurably(workFolder, name, text)
  // A hard link appears under the commit's name as a whole or not at all, and a second writer gets EEXIST.
  await link(join(workFolder, name), join(folder, name)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause
    const message = `table "${table}" was changed in the meantime; export again`
    throw new EngineError('conflict', message, { cause })
  })
  await rm(join(workFolder, name))
  await syncFolder(folder)
}

function metadataOf(
  { metadata }: TableState,
  { schemaString, partitionColumns }: TableContents,
  createdTime: number,
) {
  return {
    id: metadata?.id ?? crypto.randomUUID(),
    format: { provider: 'parquet', options: {} },
    schemaString,
    partitionColumns,
    configuration: {},
    createdTime,
  }
}

/** Returns the Delta schema of a table. Partition columns are in the schema but not in the Parquet files. */
export function schemaOf(columns: StructType, partitionColumns: readonly string[]): string {
  const partitions = partitionColumns.map((name) => ({ name, type: TEXT }))
  const members = [...columns.members, ...partitions]
  return JSON.stringify(deltaType({ kind: 'struct', members }))
}

function addOf({ records, ...file }: TableFile) {
  const { path, partitionValues, size, modificationTime } = file
  const stats = JSON.stringify({ numRecords: records })
  return { add: { path, partitionValues, size, modificationTime, dataChange: true, stats } }
}

function removeOf({ path, partitionValues, size }: TableFile, deletionTimestamp: number) {
  const extended = { extendedFileMetadata: true, partitionValues, size }
  return { remove: { path, deletionTimestamp, dataChange: true, ...extended } }
}
