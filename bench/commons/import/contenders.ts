import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { startNode } from '../../child-server.ts'
import { type MeasuredProcess, measuredProcess } from '../../measured-process.ts'
import { openDatabase } from '../search/duckdb/database.ts'
import { THREADS } from '../search/threads.ts'
import type { Aggregate, ImportWorkload } from './workloads.ts'

/** Somebody who imports a table into an empty place, and can be asked what is there. */
export interface Importer {
  readonly series: string
  /** Milliseconds, and megabytes where it is a process of its own. */
  run(workload: ImportWorkload, path: string): Promise<{ wall: number; peak?: number }>
  ask(workload: ImportWorkload): Promise<Aggregate>
}

/** A checkout's command, in a process of its own. */
export class Casemill implements Importer {
  readonly series: string
  readonly #program: string
  readonly #base: string
  readonly #home: string

  private constructor(series: string, program: string, scratch: string) {
    this.series = series
    this.#program = program
    this.#base = join(scratch, `${series}-base`)
    this.#home = join(scratch, `${series}-home`)
  }

  /** @param cohort sources of the release that a matrix is imported into */
  static async open(
    series: string,
    {
      checkout,
      scratch,
      cohort,
    }: { readonly checkout: string; readonly scratch: string; readonly cohort: readonly string[] },
  ): Promise<Casemill> {
    const opened = new Casemill(series, join(checkout, 'bin', 'casemill.ts'), scratch)
    await opened.#import(opened.#base, 'commons', cohort)
    return opened
  }

  async run({ command }: ImportWorkload, path: string) {
    await rm(this.#home, { recursive: true, force: true })
    if (command === 'expression') await cp(this.#base, this.#home, { recursive: true })
    return this.#import(this.#home, command, [path])
  }

  async ask(workload: ImportWorkload): Promise<Aggregate> {
    const words = [this.#program, '--data', this.#home, 'serve', '--port', '0']
    const service = await startNode([...words, '--threads', String(THREADS)])
    try {
      return await workload.ask(service.address)
    } finally {
      await service.stop()
    }
  }

  #import(home: string, command: string, sources: readonly string[]): Promise<MeasuredProcess> {
    return measuredProcess([this.#program, '--data', home, 'import', command, ...sources])
  }
}

/** DuckDB in this process, into a file. */
export function duckImporter(scratch: string): Importer {
  const path = join(scratch, 'imported.duckdb')
  return {
    series: 'DuckDB',
    async run({ orderedBy }, source) {
      await rm(path, { force: true })
      const start = performance.now()
      const database = await openDatabase(path, 'READ_WRITE')
      try {
        const connection = await database.connect()
        const read = `read_csv('${source}', delim = '\\t', header = true, quote = '')`
        await connection.run(`CREATE TABLE imported AS SELECT * FROM ${read} ORDER BY ${orderedBy}`)
      } finally {
        database.close()
      }
      return { wall: performance.now() - start }
    },
    async ask({ sql }) {
      const database = await openDatabase(path, 'READ_ONLY')
      try {
        const rows = (await (await database.connect()).runAndReadAll(sql)).getRows()
        return Object.fromEntries(rows.map(([name, amount]) => [String(name), Number(amount)]))
      } finally {
        database.close()
      }
    },
  }
}
