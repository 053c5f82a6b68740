import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { type ExportedLake, type ExportLake, exportLake } from '../../../../engine/commons/index.ts'
import { type DeltaTable, readDelta } from './delta-reader.ts'

export type Row = Record<string, unknown>

/** A lake of a data folder, queried as by its users. */
export class LakeWorld {
  readonly folder: string
  readonly dataFolder: string

  private constructor(folder: string) {
    this.folder = join(folder, 'lake')
    this.dataFolder = join(folder, 'data')
  }

  static async make(): Promise<LakeWorld> {
    return new LakeWorld(await mkdtemp(join(tmpdir(), 'casemill-lake-')))
  }

  export(options: Partial<ExportLake> = {}): Promise<ExportedLake> {
    const { folder, dataFolder } = this
    const writer = 'casemill/0.0.0'
    return exportLake({ folder, dataFolder, writer, ...options })
  }

  table(name: string, version?: number): Promise<DeltaTable> {
    return readDelta(join(this.folder, name), version)
  }

  /** Returns the result of DuckDB; `FROM lake` stands for the rows of the table's files. */
  async ask(table: DeltaTable, sql: string): Promise<readonly Row[]> {
    const paths = table.files.map(({ path }) => `'${path.replaceAll("'", "''")}'`)
    const lake = `read_parquet([${paths.join(', ')}], hive_partitioning = true, hive_types_autocast = false)`
    const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
    const connection = await instance.connect()
    try {
      const answer = await connection.runAndReadAll(`WITH lake AS (SELECT * FROM ${lake}) ${sql}`)
      return answer.getRowObjectsJson()
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  }

  async remove(): Promise<void> {
    await rm(join(this.folder, '..'), { recursive: true, force: true })
  }
}
