import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { syncFile, syncFolder } from '../../shared/durable.ts'
import { dictionaryBytes, quoted } from '../../shared/streams/parquet-file.ts'
import type { TableFile } from './delta-log.ts'

/** Memory limit of DuckDB. It writes anything beyond it to the work folder. */
const MEMORY = '256MiB'

/** Partition that a file belongs to. The null project is for rows of no project or of several. */
interface PartPlace {
  readonly release: string
  /** Left out if the table is not partitioned by project. */
  readonly project?: string | null
  /** Number of the part, counted from 0. */
  readonly number: number
}

export interface PartSource {
  /** A SELECT statement of DuckDB. */
  readonly select: string
  /** Number of leaf columns, including those in nested types. */
  readonly columns: number
  readonly groupRows: number
}

/** Folder name that Hive-style readers take for a null partition value. */
const NO_VALUE = '__HIVE_DEFAULT_PARTITION__'

/**
 * Writes Parquet files. Callers must wait for each `write` before the next one, because all use the same work
 * file. A file gets its name only when it is complete.
 */
export class ParquetParts {
  readonly #instance: DuckDBInstance
  readonly #connection: DuckDBConnection
  readonly #workFolder: string

  private constructor(instance: DuckDBInstance, connection: DuckDBConnection, workFolder: string) {
    this.#instance = instance
    this.#connection = connection
    this.#workFolder = workFolder
  }

  /** @param workFolder on the same disk as the tables */
  static async open(workFolder: string): Promise<ParquetParts> {
    const { DuckDBInstance } = await import('@duckdb/node-api')
    const instance = await DuckDBInstance.create(':memory:', {
      // A single thread keeps the order of rows, and makes equal rows give equal bytes.
      threads: '1',
      memory_limit: MEMORY,
      temp_directory: join(workFolder, 'spill'),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
    return new ParquetParts(instance, await instance.connect(), workFolder)
  }

  /** Writes one Parquet file of a table. */
  async write(
    table: string,
    place: PartPlace,
    { select, columns, groupRows }: PartSource,
    signal: AbortSignal,
  ): Promise<TableFile> {
    const made = join(this.#workFolder, 'part.parquet')
    await rm(made, { force: true })
    const rows = await this.#run(
      `COPY (${select}) TO ${quoted(made, "'")} (FORMAT parquet, COMPRESSION zstd, ` +
        `ROW_GROUP_SIZE ${groupRows}, STRING_DICTIONARY_PAGE_SIZE_LIMIT ${dictionaryBytes(columns)}, ` +
        `RETURN_STATS)`,
      signal,
    )
    await syncFile(made)
    const path = pathOf(place)
    const target = join(table, path)
    await mkdir(dirname(target), { recursive: true })
    await rename(made, target)
    await syncFolder(dirname(target))
    const { size, mtimeMs } = await stat(target)
    const { release, project } = place
    return {
      // The log contains URIs of paths. Names of folders are already encoded, so they are encoded a second time.
      path: encodeURI(path),
      // A Delta log stores a null partition value as an empty text.
      partitionValues: { release, ...(project !== undefined && { project_id: project ?? '' }) },
      size,
      modificationTime: Math.floor(mtimeMs),
      records: rows,
    }
  }

  async #run(statement: string, signal: AbortSignal): Promise<number> {
    const interrupt = () => this.#connection.interrupt()
    signal.throwIfAborted()
    signal.addEventListener('abort', interrupt)
    try {
      const answer = await this.#connection.runAndReadAll(statement)
      return Number(answer.getRowObjects()[0]?.count ?? 0)
    } catch (error) {
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', interrupt)
    }
  }

  close(): void {
    this.#connection.closeSync()
    this.#instance.closeSync()
  }
}

/** Returns the path of a file relative to its table. */
function pathOf({ release, project, number }: PartPlace): string {
  const folders = [`release=${encodeURIComponent(release)}`]
  if (project !== undefined) {
    folders.push(`project_id=${project === null ? NO_VALUE : encodeURIComponent(project)}`)
  }
  return [...folders, `part-${String(number).padStart(5, '0')}.parquet`].join('/')
}
