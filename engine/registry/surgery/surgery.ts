import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../shared/database/database.ts'
import { EngineError } from '../../shared/errors.ts'
import { yearOfSystem } from '../staging/algorithm/year-clock.ts'
import { findTable, type SurgeryRequest } from './find-table.ts'
import type { SurgeryEdition, SurgeryTable } from './model.ts'
import { readEdition } from './read-edition.ts'
import { SurgeryEdits, SurgeryReads } from './repository.ts'

export interface SurgeryOptions {
  /**
   * As sharedState opens it.
   * @internal
   */
  readonly state: Database
  /** The current year in four digits; left out, that of the system's clock. */
  readonly yearNow?: (() => string) | undefined
}

export interface ImportSurgery {
  /** Says what would change and changes nothing. */
  readonly dryRun?: boolean
  readonly signal?: AbortSignal | undefined
}

/** What became of one file. */
export interface ImportedSurgery {
  readonly year: number
  /** What the file calls itself. */
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
   * Titles of the tables of a year, in the order of the file.
   * @param year four digits, or `latest`
   * @throws EngineError bad_input for a year without tables
   */
  async titles(year: string): Promise<readonly string[]> {
    const heads = await this.#headsOf(new SurgeryReads(this.#state), year)
    return heads.map(({ title }) => title)
  }

  /**
   * One table of a year, by its title or by site and histology.
   * @throws EngineError bad_input for a year without tables, a malformed request, and when no table is asked for
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
   * Stores the tables of files, each in the place of those of the same year, in one transaction.
   * @throws EngineError as readEdition; bad_input for two files of one year
   */
  async import(
    paths: readonly string[],
    { dryRun = false, signal }: ImportSurgery = {},
  ): Promise<readonly ImportedSurgery[]> {
    const editions = new Map<number, SurgeryEdition>()
    for (const path of paths) {
      const edition = await readEdition(path, { signal })
      if (editions.has(edition.year)) {
        throw new EngineError('bad_input', `two files are of the year ${edition.year}; give one`)
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
