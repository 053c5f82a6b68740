import { CacheBudget } from './cache-budget.ts'
import { ColumnIndex } from './column-index.ts'
import { type ContextSource, contextOf } from './context.ts'
import type { ContextValues } from './key-slots.ts'
import type { Cell, StagingSchema, VersionContent } from './model.ts'
import type { InputMap } from './result.ts'
import { commonRows, eachRow, type RowBits } from './row-bits.ts'
import type { TableIndex } from './table-index.ts'
import { ValidCodes } from './valid-codes.ts'

/** The parts that a selection needs from its compiled version. */
interface SelectionSource extends ContextSource {
  readonly content: VersionContent
  table(id: string): TableIndex | undefined
}

/** A schema that remains for a site and histology. */
interface Candidate {
  readonly id: string
  readonly table: TableIndex
  /** Whether its selection table only depends on site and histology. */
  readonly isCertain: boolean
}

/** Greater than the number of classes, so that the classes of site and histology can be combined into one number. */
const MAX_CLASSES = 65_536

/** The context for tables without references. */
const NOTHING: ContextValues = []

/**
 * Combines the selection tables of all schemas. Site and histology give candidate schemas, which are then tested
 * with the other inputs (registry.md rules 15 and 16).
 */
export class Selection {
  readonly #version: SelectionSource
  readonly #all: readonly Candidate[]
  /** The candidate for each row of all tables, concatenated. */
  readonly #candidateOfRow: readonly Candidate[]
  readonly #sites: ValidCodes
  readonly #histologies: ValidCodes
  readonly #siteIndex: ColumnIndex
  readonly #histologyIndex: ColumnIndex
  readonly #pairs = new Map<number, readonly Candidate[]>()
  readonly #cacheBudget = new CacheBudget()
  #generation = this.#cacheBudget.generation

  constructor(version: SelectionSource) {
    this.#version = version
    const { tables, schemas } = version.content
    this.#sites = new ValidCodes(tables.get('primary_site'))
    this.#histologies = new ValidCodes(tables.get('histology'))
    this.#all = [...schemas.values()]
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .flatMap((schema) => candidateOf(schema, version))
    this.#candidateOfRow = this.#all.flatMap((candidate) =>
      candidate.table.table.rows.map(() => candidate),
    )
    const surroundings = { keys: version.keys, cacheBudget: this.#cacheBudget }
    this.#siteIndex = new ColumnIndex('site', this.#cells('site'), surroundings)
    this.#histologyIndex = new ColumnIndex('hist', this.#cells('hist'), surroundings)
  }

  /** Returns the ids of possible schemas, in ascending order. Values are not trimmed. */
  find(input: InputMap): string[] {
    const { site, hist } = input
    if (site === undefined && hist === undefined) return []
    if (site !== undefined && !this.#sites.has(site ?? '')) return []
    if (hist !== undefined && !this.#histologies.has(hist ?? '')) return []
    if (!site || !hist) return hasDiscriminator(input) ? [] : this.#asked(this.#all, input)
    const candidates = this.#candidatesFor(site, hist)
    const [only] = candidates
    // Most pairs of site and histology leave a single schema that depends on no other input.
    if (candidates.length === 1 && only?.isCertain) return [only.id]
    return this.#asked(candidates, input)
  }

  /** Returns whether the version has this site. */
  isSite(value: string): boolean {
    return this.#sites.has(value)
  }

  /** Returns whether the version has this histology. */
  isHistology(value: string): boolean {
    return this.#histologies.has(value)
  }

  #candidatesFor(site: string, histology: string): readonly Candidate[] {
    if (this.#generation !== this.#cacheBudget.generation) this.#forget()
    const siteClass = this.#siteIndex.classOf(site)
    const histologyClass = this.#histologyIndex.classOf(histology)
    const pair = siteClass * MAX_CLASSES + histologyClass
    let candidates = this.#pairs.get(pair)
    if (!candidates) {
      const rows = commonRows(
        this.#siteIndex.rowsOf(siteClass),
        this.#histologyIndex.rowsOf(histologyClass),
      )
      candidates = this.#candidatesOf(rows)
      this.#pairs.set(pair, candidates)
      this.#cacheBudget.spend(1 + candidates.length)
    }
    return candidates
  }

  #forget(): void {
    this.#siteIndex.forget()
    this.#histologyIndex.forget()
    this.#pairs.clear()
    this.#generation = this.#cacheBudget.generation
  }

  #candidatesOf(rows: RowBits): readonly Candidate[] {
    const found = new Set<Candidate>()
    eachRow(rows, (row) => {
      const candidate = this.#candidateOfRow[row]
      if (candidate) found.add(candidate)
    })
    return [...found]
  }

  /** Returns the candidates whose full selection table has a row for the given keys (registry.md rule 16). */
  #asked(candidates: readonly Candidate[], input: InputMap): string[] {
    return candidates.filter(({ table }) => this.rowFor(table, input) >= 0).map(({ id }) => id)
  }

  /** Returns the row of a schema's selection table that matches the input (registry.md rule 16), or -1. */
  rowFor(table: TableIndex, input: InputMap): number {
    const given = (key: string) => (Object.hasOwn(input, key) ? (input[key] ?? '') : undefined)
    return table.matchGiven(given, table.refers ? contextOf(this.#version, input) : NOTHING)
  }

  #cells(key: string): (Cell | undefined)[] {
    return this.#all.flatMap(({ table: { table } }) => {
      const places = table.definition.flatMap((column, place) =>
        column.type === 'INPUT' && column.key === key ? [place] : [],
      )
      const [place = -1] = places
      // A cell that refers to another key is tested later, together with the whole table.
      return table.rows.map((cells) => (cells[place]?.includes('{{') ? null : cells[place]))
    })
  }
}

function candidateOf(schema: StagingSchema, version: SelectionSource): Candidate[] {
  const table = version.table(schema.schema_selection_table)
  if (!table) return []
  const keys = table.columns.map(({ key }) => key)
  const isCertain =
    !table.refers &&
    keys.every((key) => key === 'site' || key === 'hist') &&
    new Set(keys).size === keys.length
  return [{ id: schema.id, table, isCertain }]
}

function hasDiscriminator(input: InputMap): boolean {
  return Object.keys(input).some((key) => key !== 'site' && key !== 'hist' && input[key])
}
