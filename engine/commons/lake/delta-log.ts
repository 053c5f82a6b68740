import { link, mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder, writeDurably } from '../../shared/durable.ts'
import { EngineError } from '../../shared/errors.ts'
import { isObject } from '../../shared/input/unknowns.ts'
import { NO_PATH, unlessAbsent } from '../../shared/unless-absent.ts'
import { deltaType, type StructType, TEXT } from './lake-type.ts'

/** A file of a table, as its log names it. */
export interface TableFile {
  /** Relative to the table, encoded as a URI. */
  readonly path: string
  /** Of each partition column; an empty text is null. */
  readonly partitionValues: Readonly<Record<string, string>>
  readonly size: number
  /** Milliseconds. */
  readonly modificationTime: number
  readonly records: number
}

/** What a table holds of one release. */
export interface TableContents {
  readonly release: string
  readonly schemaString: string
  readonly partitionColumns: readonly string[]
  readonly files: readonly TableFile[]
}

/** A table as its log says it is. */
export interface TableState {
  /** Of the last commit; -1 where there is none. */
  readonly version: number
  /** The release of the last commit. */
  readonly release: string | undefined
  /** What the table holds now. */
  readonly files: readonly TableFile[]
  /** What was committed of each release, by its id. */
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
  /** `casemill` and its version. */
  readonly writer: string
  /** A folder on the same disk, for a moment. */
  readonly workFolder: string
}

export const LOG_FOLDER = '_delta_log'
const LOG_FILE = /^\d{20}\.json$/
/** Of tables without any feature: every reader knows them. */
const PROTOCOL = { minReaderVersion: 1, minWriterVersion: 2 } as const
/** What our own commits are told by. */
const OWN_WRITER = /^casemill\b/

export const logName = (version: number) => `${String(version).padStart(20, '0')}.json`

/**
 * Replays the log of a table; a folder without a log is a table without commits.
 * @throws EngineError conflict when another program has made of it what this one does not write
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
      if (protocol && !isOwnProtocol(protocol)) throw foreign(table, 'has features of Delta tables')
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
  if (!isObject(action)) throw foreign(table, 'has a log that is none')
  const { add } = action
  if (!isObject(add)) return action as Action
  const stats: unknown = typeof add.stats === 'string' ? JSON.parse(add.stats) : undefined
  const records = isObject(stats) ? Number(stats.numRecords ?? 0) : 0
  return { add: { ...(add as unknown as Omit<TableFile, 'records'>), records } }
}

const isOwnProtocol = ({ minReaderVersion, minWriterVersion }: typeof PROTOCOL) =>
  minReaderVersion <= PROTOCOL.minReaderVersion && minWriterVersion <= PROTOCOL.minWriterVersion

function foreign(table: string, why: string): EngineError {
  const message = `table "${table}" ${why}, so another program changed it; give a folder of its own`
  return new EngineError('conflict', message)
}

/**
 * Replaces what a table holds by what it holds of a release: one commit, which is there or not. Its files
 * must be on the disk.
 * @throws EngineError conflict when another export was faster
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
    ...contents.files.map(addOf),
  ]
  const text = actions.map((action) => `${JSON.stringify(action)}\n`).join('')
  const folder = join(table, LOG_FOLDER)
  const name = logName(state.version + 1)
  await mkdir(folder, { recursive: true })
  await writeDurably(workFolder, name, text)
  // Either the whole commit has the name or none has, and who comes second is refused.
  await link(join(workFolder, name), join(folder, name)).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause
    const message = `table "${table}" got another commit meanwhile; export again`
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
    ...{ schemaString, partitionColumns, configuration: {}, createdTime },
  }
}

/** The schema of a table, whose partition columns are in no file. */
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
