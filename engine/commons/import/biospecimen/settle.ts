import type { DuckDBAppender } from '@duckdb/node-api'
import type { JsonObject } from '../../../shared/input/json-value.ts'
import { DATASET_NAMES } from '../../datasets/define.ts'
import { appendNumber } from '../database.ts'
import type { Conflicts } from '../merge.ts'
import { RECORD } from '../record-place.ts'
import { groupsOf, type Row, SortedRows } from '../sorted-rows.ts'
import { RANKS } from '../split-record.ts'
import type { Place } from '../spool.ts'
import type { Staging } from '../staging.ts'
import { identify } from './identify.ts'
import { observeSamples, type Specimen } from './observe.ts'
import { type Described, SpecimenTree } from './specimen-tree.ts'

const CASES = DATASET_NAMES.indexOf('cases')

/**
 * SQL that collects the distinct descriptions of specimens from cases and their files, and the links of cases
 * without any.
 */
const PREPARE = `
  CREATE TABLE described AS
    SELECT case_id, max(rank) AS rank, place, max(length) AS length, min(${RECORD}) AS record
    FROM (SELECT case_id, rank, place, length, source, line FROM specimens
      UNION ALL SELECT case_id, rank, place, length, source, line FROM links
        WHERE place IS NOT NULL)
    GROUP BY case_id, place;
  CREATE TABLE settled_links AS
    SELECT DISTINCT file_id, case_id, CAST(NULL AS DOUBLE) AS place, CAST(NULL AS DOUBLE) AS length
    FROM links WHERE case_id NOT IN (SELECT case_id FROM described);
  CREATE TABLE placed (level VARCHAR, name VARCHAR, case_id VARCHAR, record DOUBLE)`

const DESCRIBED =
  'SELECT case_id, rank, place, length, record FROM described ORDER BY case_id, rank, place'

const FILES = `
  SELECT DISTINCT case_id, file_id, place FROM links
  WHERE case_id IN (SELECT case_id FROM described)
  ORDER BY case_id, file_id, place`

/**
 * Merges all descriptions of each case's specimens into one, stored as a part of the case. For each file, also
 * extracts the specimens from which the file was made. The table `settled_links` has the file, the case and the
 * place of the file's samples in the spool. The table `placed` has the cases of each specimen. Cases are
 * processed one by one, so memory depends on the largest case.
 */
export async function settleSpecimens(
  staging: Staging,
  conflicts: Conflicts,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { database } = staging
  await database.connection.run(PREPARE)
  const settling = await Settling.open(staging, conflicts)
  try {
    for await (const { key, rows } of groupsOf(database, DESCRIBED)) {
      signal?.throwIfAborted()
      await settling.settle(key, rows)
    }
  } finally {
    await settling.close()
  }
}

/** A file of the current case with the spool offsets of the texts that describe its samples. */
interface FileTexts {
  readonly fileId: string
  readonly places: readonly number[]
}

/** A description of samples, with the record that contains it. */
interface SettledText extends Described {
  readonly record: number
}

class Settling {
  readonly #staging: Staging
  readonly #conflicts: Conflicts
  readonly #parts: DuckDBAppender
  readonly #links: DuckDBAppender
  readonly #placed: DuckDBAppender
  /** Two readers of the same rows. The first finds the specimens of a case, then the second places its files. */
  readonly #files: readonly [SortedRows, SortedRows]

  private constructor(
    staging: Staging,
    conflicts: Conflicts,
    [parts, links, placed]: readonly [DuckDBAppender, DuckDBAppender, DuckDBAppender],
  ) {
    this.#staging = staging
    this.#conflicts = conflicts
    this.#parts = parts
    this.#links = links
    this.#placed = placed
    const { database } = staging
    this.#files = [new SortedRows(database, FILES), new SortedRows(database, FILES)]
  }

  static async open(staging: Staging, conflicts: Conflicts): Promise<Settling> {
    const { connection } = staging.database
    return new Settling(staging, conflicts, [
      await connection.createAppender('parts'),
      await connection.createAppender('settled_links'),
      await connection.createAppender('placed'),
    ])
  }

  async close(): Promise<void> {
    this.#parts.closeSync()
    this.#links.closeSync()
    this.#placed.closeSync()
    for (const rows of this.#files) await rows.close()
  }

  async settle(caseId: string, rows: readonly Row[]): Promise<void> {
    const texts = this.#readTexts(rows)
    const together = new Map<string, readonly Specimen[]>()
    for await (const { places } of filesIn(this.#files[0], caseId)) {
      const key = places.join(' ')
      if (!together.has(key))
        together.set(
          key,
          places.flatMap((place) => specimensAt(texts, place)),
        )
    }
    const described = [...new Set(texts.values())]
    const all = described.flatMap(({ specimens }) => specimens)
    const identified = identify(all, [...together.values()])
    this.#putSpecimens(caseId, described, identified)
    const tree = new SpecimenTree(described, identified, this.#conflicts)
    this.#putCase(caseId, tree.samples())
    const settled = new Map<string, Place | undefined>()
    for await (const { fileId, places } of filesIn(this.#files[1], caseId)) {
      const key = places.join(' ')
      if (!settled.has(key)) settled.set(key, this.#write(tree.samplesOf(together.get(key) ?? [])))
      this.#putLink(fileId, caseId, settled.get(key))
    }
  }

  /** Returns the descriptions keyed by the spool offsets of their texts, lowest rank first. */
  #readTexts(rows: readonly Row[]): ReadonlyMap<number, SettledText> {
    const byText = new Map<string, { readonly places: number[]; rank: number; record: number }>()
    for (const row of rows) {
      const [, rank, offset, length] = row as [string, number, number, number]
      const record = Number(row[4])
      const text = this.#staging.spool.read({ offset, length })
      const known = byText.get(text)
      const places = known?.places ?? []
      places.push(offset)
      // Identical texts get the highest of their ranks.
      byText.delete(text)
      byText.set(text, { places, rank, record: Math.min(record, known?.record ?? record) })
    }
    const found = new Map<number, SettledText>()
    for (const [text, { places, rank, record }] of byText) {
      const described = { rank, record, specimens: observeSamples(JSON.parse(text)) }
      for (const place of places) found.set(place, described)
    }
    return found
  }

  /** Stores the id and the name of each specimen of a case, with the first record that has them. */
  #putSpecimens(
    caseId: string,
    described: readonly SettledText[],
    identified: ReturnType<typeof identify>,
  ): void {
    const records = new Map<Specimen, number>()
    for (const { record, specimens } of described) {
      for (const each of specimens) {
        const specimen = identified.find(each)
        records.set(specimen, Math.min(record, records.get(specimen) ?? record))
      }
    }
    const placed = this.#placed
    for (const [specimen, record] of records) {
      const { id, name } = identified.keyOf(specimen)
      for (const key of [id, name]) {
        if (key === undefined) continue
        placed.appendVarchar(specimen.level.noun)
        placed.appendVarchar(key)
        placed.appendVarchar(caseId)
        placed.appendDouble(record)
        placed.endRow()
      }
    }
  }

  #putCase(caseId: string, samples: readonly JsonObject[]): void {
    const place = this.#write(samples, (list) => ({ samples: list }))
    if (!place) return
    const parts = this.#parts
    parts.appendUTinyInt(CASES)
    parts.appendVarchar(caseId)
    parts.appendUTinyInt(RANKS.hearsay)
    parts.appendDouble(place.offset)
    parts.appendDouble(place.length)
    parts.appendBoolean(false)
    parts.appendNull()
    parts.endRow()
  }

  #putLink(fileId: string, caseId: string, place: Place | undefined): void {
    const links = this.#links
    links.appendVarchar(fileId)
    links.appendVarchar(caseId)
    appendNumber(links, place?.offset)
    appendNumber(links, place?.length)
    links.endRow()
  }

  #write(
    samples: readonly JsonObject[],
    wrap: (samples: readonly JsonObject[]) => unknown = (list) => list,
  ): Place | undefined {
    return samples.length === 0 ? undefined : this.#staging.spool.add(JSON.stringify(wrap(samples)))
  }
}

const specimensAt = (texts: ReadonlyMap<number, SettledText>, place: number) =>
  texts.get(place)?.specimens ?? []

/** Yields the files of a case from rows sorted by case, file and offset. */
async function* filesIn(
  rows: SortedRows,
  caseId: string,
): AsyncGenerator<FileTexts, void, undefined> {
  let open: { readonly fileId: string; readonly places: number[] } | undefined
  for await (const batch of rows.of(caseId)) {
    for (const [, id, place] of batch) {
      const fileId = String(id)
      if (open?.fileId !== fileId) {
        if (open) yield open
        open = { fileId, places: [] }
      }
      if (place !== null) open.places.push(Number(place))
    }
  }
  if (open) yield open
}
