import { EngineError } from '../../../shared/errors.ts'
import { parseCell } from './cell-ranges.ts'
import { parseEndpoint } from './endpoint.ts'
import { isContextKey } from './key-slots.ts'
import type { Mapping, StagingSchema, StagingTable, TablePath } from './model.ts'
import { outputRenaming } from './output-renaming.ts'
import { REFERENCE_MARK, referencedKey } from './values.ts'

/** The names in a table that matter for derivations, without duplicates and in order of first occurrence. */
interface TableFacts {
  readonly id: string
  readonly inputs: readonly string[]
  readonly endpoints: readonly string[]
  /** Rule 35 of registry.md: keys referenced in cells. */
  readonly extra: readonly string[]
  readonly jumps: readonly string[]
  /** Total characters of the names, plus 16 for each name. */
  readonly characters: number
}

/**
 * Maximum characters of the keys from which the derived members of a schema are made, plus 16 for each path,
 * table and key. Published schemas have up to 10,000.
 */
const MAX_DERIVED = 1 << 16
const ENTRY_CHARACTERS = 16

/** Cached facts about tables, keyed by the table's rows, which stay when its date changes. */
export type KnownFacts = WeakMap<StagingTable['rows'], TableFacts>

/**
 * Derives members from other members (registry.md 4.9). Derived members in a request are ignored. The name of a
 * missing table adds nothing.
 */
export class Derivation {
  readonly #tables: ReadonlyMap<string, StagingTable>
  readonly #known: KnownFacts

  constructor(tables: ReadonlyMap<string, StagingTable>, known: KnownFacts = new WeakMap()) {
    this.#tables = tables
    this.#known = known
  }

  /** Rule 34 of registry.md: returns the tables reachable from a schema, the selection table last. */
  involvedTables(schema: StagingSchema): string[] {
    const involved = new Set<string>()
    for (const id of namedTables(schema)) this.#reach(id, involved)
    return [...involved]
  }

  /** Returns the tables to which the rows of a table jump, including missing tables. */
  jumpsOf(table: string): readonly string[] {
    return this.#factsOf(table)?.jumps ?? []
  }

  /** Returns the keys of a table's INPUT columns, or undefined if there is no such table. */
  inputColumns(table: string): readonly string[] | undefined {
    return this.#factsOf(table)?.inputs
  }

  /** Returns the tables reachable from a table by direct or indirect jumps. */
  reachedFrom(table: string): ReadonlySet<string> {
    const reached = new Set<string>()
    for (const id of this.jumpsOf(table)) this.#reach(id, reached)
    return reached
  }

  /**
   * Adds the members of a schema that derive from the existing tables.
   * @throws EngineError `too_many` if its paths reach too much of them
   */
  completeSchema(schema: StagingSchema): StagingSchema {
    if (this.derivedCharacters(schema) > MAX_DERIVED) {
      const message = `the mappings of schema "${schema.id}" reach tables with more than ${MAX_DERIVED} characters of keys; give fewer mappings, or tables with fewer columns`
      throw new EngineError('too_many', message, { at: 'mappings' })
    }
    const complete = (path: TablePath): TablePath => ({
      ...path,
      inputs: this.pathInputs(path),
      outputs: this.pathOutputs(path),
    })
    // Inclusion and exclusion tables only decide whether a mapping applies and have no outputs.
    const decide = ({ outputs: _posted, ...path }: TablePath): TablePath => ({
      ...path,
      inputs: this.pathInputs(path),
    })
    const mappings = schema.mappings?.map((mapping) => ({
      ...mapping,
      ...(mapping.inclusion_tables && { inclusion_tables: mapping.inclusion_tables.map(decide) }),
      ...(mapping.exclusion_tables && { exclusion_tables: mapping.exclusion_tables.map(decide) }),
      ...(mapping.tables && { tables: mapping.tables.map(complete) }),
    }))
    return {
      ...schema,
      ...(mappings && { mappings }),
      involved_tables: this.involvedTables(schema),
    }
  }

  /**
   * Counts the characters from which derived members are made, and stops when the limit is exceeded. Each path
   * has its own keys, so a schema that names a few tables many times could become gigabytes.
   */
  derivedCharacters({ mappings = [] }: StagingSchema): number {
    let characters = 0
    for (const path of mappings.flatMap(pathsOf)) {
      characters += ENTRY_CHARACTERS
      const reached = new Set<string>()
      const waiting = [path.id]
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const facts = reached.has(next) ? undefined : this.#factsOf(next)
        if (!facts) continue
        reached.add(next)
        waiting.push(...facts.jumps)
        characters += facts.characters
        if (characters > MAX_DERIVED) return characters
      }
    }
    return characters
  }

  /** Returns a table with the derived member `extra_input`. If it would be empty, the member is left out. */
  completeTable(table: StagingTable): StagingTable {
    const { extra_input: _posted, ...stored } = table
    const { extra } = this.#factsIn(table)
    return extra.length === 0 ? stored : { ...stored, extra_input: extra }
  }

  /** Returns the keys that the selection of a schema and its staging read (registry.md rule 36). */
  stagingInputs(schema: StagingSchema): string[] {
    const asked = new Set(this.#factsOf(schema.schema_selection_table)?.inputs)
    const made = new Set<string>()
    for (const mapping of schema.mappings ?? []) {
      for (const { key } of mapping.initial_context ?? []) made.add(key)
      for (const path of pathsOf(mapping)) {
        for (const key of this.#inputsOf(path, made)) asked.add(key)
      }
    }
    return [...asked].filter((key) => !isContextKey(key))
  }

  /** Returns the output keys of a schema, or if it lists none, all that its paths can set (registry.md rule 36). */
  stagingOutputs({ outputs = [], mappings = [] }: StagingSchema): string[] {
    if (outputs.length > 0) return outputs.map(({ key }) => key)
    const paths = mappings.flatMap(({ tables = [] }) => tables)
    return [...new Set(paths.flatMap((path) => this.pathOutputs(path)))]
  }

  /** Returns the keys that the tables of a path read, without those that the tables set themselves. */
  pathInputs(path: TablePath): string[] {
    return [...this.#inputsOf(path, new Set())].filter((key) => !isContextKey(key))
  }

  /** Returns the keys that the tables of a path may read, including those that the tables set themselves. */
  pathReads({ id, input_mapping = [] }: TablePath): string[] {
    const reached = this.#reached(id)
    return [
      ...input_mapping.map(({ from }) => from),
      ...reached.flatMap(({ inputs, extra }) => [...inputs, ...extra]),
    ]
  }

  /** Returns the keys that the tables of a path can set. */
  pathOutputs(path: TablePath): string[] {
    const outputs = new Set<string>()
    const renamed = outputRenaming(path)
    for (const { endpoints } of this.#reached(path.id)) {
      for (const key of endpoints.flatMap(renamed)) outputs.add(key)
    }
    return [...outputs]
  }

  /**
   * Returns the keys that a path reads.
   * @param made keys set by tables; new ones are added
   */
  #inputsOf(path: TablePath, made: Set<string>): Set<string> {
    const asked = new Set<string>()
    const sources = new Map(path.input_mapping?.map(({ from, to }) => [to, from]))
    const ask = (column: string) => {
      const key = sources.get(column) ?? column
      if (!made.has(key)) asked.add(key)
    }
    const renamed = outputRenaming(path)
    for (const { inputs, endpoints, extra } of this.#reached(path.id)) {
      for (const key of inputs) ask(key)
      for (const key of endpoints.flatMap(renamed)) {
        if (!asked.has(key)) made.add(key)
      }
      for (const key of extra) ask(key)
    }
    return asked
  }

  /** Returns a table and all tables reachable by jumps, each before its own targets. */
  #reached(id: string): TableFacts[] {
    const reached = new Set<string>()
    this.#reach(id, reached)
    return [...reached].flatMap((one) => this.#factsOf(one) ?? [])
  }

  #reach(id: string, reached: Set<string>): void {
    const waiting = [id]
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const facts = reached.has(next) ? undefined : this.#factsOf(next)
      if (!facts) continue
      reached.add(next)
      waiting.push(...facts.jumps.toReversed())
    }
  }

  #factsOf(id: string): TableFacts | undefined {
    const table = this.#tables.get(id)
    return table && this.#factsIn(table)
  }

  #factsIn(table: StagingTable): TableFacts {
    const known = this.#known.get(table.rows)
    if (known) return known
    const facts = readFacts(table)
    this.#known.set(table.rows, facts)
    return facts
  }
}

/** Returns the table names in a schema, as counted by rule 34 of registry.md, without jumps. */
export function namedTables(schema: StagingSchema): string[] {
  const { inputs, outputs = [], mappings = [], schema_selection_table } = schema
  return [
    ...inputs.flatMap(({ table, default_table }) => [table, default_table]),
    ...outputs.map(({ table }) => table),
    ...mappings.flatMap((mapping) => pathsOf(mapping).map(({ id }) => id)),
    schema_selection_table,
  ].filter((id) => id !== undefined)
}

function pathsOf(mapping: Mapping): readonly TablePath[] {
  const { inclusion_tables = [], exclusion_tables = [], tables = [] } = mapping
  return [...inclusion_tables, ...exclusion_tables, ...tables]
}

function readFacts({ id, definition, rows }: StagingTable): TableFacts {
  const extra = new Set<string>()
  const jumps = new Set<string>()
  for (const [place, { type }] of definition.entries()) {
    if (type === 'DESCRIPTION') continue
    for (const cell of new Set(rows.map((cells) => cells[place]))) {
      if (type === 'INPUT') {
        // A cell may have a hundred thousand ranges. Only those that refer to a key contain the mark.
        if (!cell?.includes(REFERENCE_MARK)) continue
        const ranges = parseCell(cell)
        if (ranges !== 'any')
          addKeys(
            ranges.flatMap(({ low, high }) => [low, high]),
            extra,
          )
        continue
      }
      const endpoint = parseEndpoint(cell, `rows[][${place}]`)
      if (endpoint.type === 'JUMP') jumps.add(endpoint.table)
      else if (endpoint.type === 'VALUE') addKeys([endpoint.value ?? ''], extra)
    }
  }
  const keysOf = (wanted: string) =>
    definition.filter(({ type }) => type === wanted).map(({ key = '' }) => key)
  const [inputs, endpoints] = [keysOf('INPUT'), keysOf('ENDPOINT')]
  const names = [id, ...inputs, ...endpoints, ...extra, ...jumps]
  const characters = names.reduce((sum, name) => sum + name.length + ENTRY_CHARACTERS, 0)
  return { id, inputs, endpoints, extra: [...extra], jumps: [...jumps], characters }
}

function addKeys(texts: readonly string[], keys: Set<string>): void {
  for (const text of texts) {
    const key = referencedKey(text)
    if (key !== undefined && !isContextKey(key)) keys.add(key)
  }
}
