import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import { yearOfSystem } from '../staging/algorithm/year-clock.ts'
import { findTable, type SurgeryRequest } from './find-table.ts'
import type { SurgeryEdition, SurgeryTable } from './model.ts'
import { readEdition } from './read-edition.ts'
import { SurgeryEdits, SurgeryReads } from './repository.ts'

export interface SurgeryOptions {
  /** The database that sharedState opens. @internal */
  readonly state: Database
  /** Returns the current year in four digits. Defaults to the system clock. */
  readonly yearNow?: (() => string) | undefined
}

export interface ImportSurgery {
  /** Whether to report what would change without storing anything. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal | undefined
}

/** The outcome of importing one file. */
export interface ImportedSurgery {
  readonly year: number
  /** The title in the file. */
  readonly edition: string
  readonly change: 'added' | 'changed' | 'same'
  readonly tables: number
  readonly rows: number
}

/** Tables of surgery codes by year (registry-lookups.md 2). */
export class Surgery {
  readonly #state: Database
  readonly #yearNow: () => string

  constructor({ state, yearNow = yearOfSystem() }: SurgeryOptions) {
    this.#state = state
    this.#yearNow = yearNow
  }

  /**
   * Returns the titles of a year's tables, in file order.
   * @param year four digits, or `latest`
   * @throws EngineError `bad_input` for a year without tables
   */
  async titles(year: string): Promise<readonly string[]> {
    const heads = await this.#headsOf(new SurgeryReads(this.#state), year)
    return heads.map(({ title }) => title)
  }

  /**
   * Returns one table of a year by title, or by site and histology.
   * @throws EngineError `bad_input` for a year without tables, an invalid request, or if no table matches
   */
  table(year: string, request: SurgeryRequest): Promise<SurgeryTable> {
    return this.#state.read(async (rows) => {
      const reads = new SurgeryReads(rows)
      const found = findTable(await this.#headsOf(reads, year), request)
      if (found) return reads.table(found.year, found.place)
      const of = request.title === undefined ? 'this site and histology' : 'this title'
      throw new EngineError('bad_input', `no table for ${of} in the year "${year}"`)
    })
  }

  async #headsOf(reads: SurgeryReads, year: string) {
    const now = this.#yearNow()
    const wanted = year === 'latest' ? now : year
    const isYear = /^\d{4}$/.test(wanted) && wanted <= now
    const heads = isYear ? await reads.headsOf(Number(wanted)) : []
    if (heads.length > 0) return heads
    const oldest = await reads.oldestYear()
    const known =
      oldest === undefined || oldest > Number(now)
        ? 'no tables of surgery codes are imported'
        : `give a year from ${oldest} to ${now}, or latest`
    throw new EngineError('bad_input', `the year has no tables; ${known}`, { at: 'year' })
  }

  /**
   * Imports files in one transaction, each replacing the edition of its year.
   * @throws EngineError like readEdition; `bad_input` for two files of the same year
   */
  async import(
    paths: readonly string[],
    { dryRun = false, signal }: ImportSurgery = {},
  ): Promise<readonly ImportedSurgery[]> {
    const editions = new Map<number, SurgeryEdition>()
    for (const path of paths) {
      const edition = await readEdition(path, { signal })
      if (editions.has(edition.year)) {
        throw new EngineError(
          'bad_input',
          `two files have the year ${edition.year}; give one of them`,
        )
      }
      editions.set(edition.year, edition)
    }
    signal?.throwIfAborted()
    return this.#state.write(async (transaction) => {
      const edits = new SurgeryEdits(transaction)
      const reports: ImportedSurgery[] = []
      for (const edition of editions.values()) {
        const before = await edits.edition(edition.year)
        const isSame = isDeepStrictEqual(before, edition)
        if (!isSame && !dryRun) await edits.put(edition)
        reports.push(reportOf(edition, isSame ? 'same' : before ? 'changed' : 'added'))
      }
      return reports
    })
  }
}

function reportOf(
  { year, name, tables }: SurgeryEdition,
  change: ImportedSurgery['change'],
): ImportedSurgery {
  const rows = tables.reduce((sum, { row }) => sum + row.length, 0)
  return { year, edition: name, change, tables: tables.length, rows }
}
