import type { Derivation } from './derive.ts'
import type { ErrorOrigin } from './evaluation.ts'
import type { Mapping, StagingSchema, TablePath } from './model.ts'
import { outputRenaming } from './output-renaming.ts'
import type { StagingError } from './result.ts'
import type { TableIndex } from './table-index.ts'

/** The parts that are needed from the version of a schema. */
interface ReachSource {
  readonly derivation: Derivation
  table(id: string): TableIndex | undefined
}

/** How a table path affects keys, whichever rows match. */
interface PathFlow {
  readonly reads: ReadonlySet<string>
  readonly writes: readonly string[]
  /** Whether a row of the table may end the mapping (registry.md rule 12). */
  readonly mayStop: boolean
}

interface MappingFlow {
  /** Keys that decide whether the mapping applies. */
  readonly decided: ReadonlySet<string>
  readonly initial: readonly string[]
  readonly paths: readonly PathFlow[]
}

/**
 * Determines which keys the outputs of a schema depend on. It follows keys through the schema's tables in
 * mapping order, whichever rows match. The result may contain too many dependencies, but never misses one.
 */
export class OutputReach {
  readonly #schema: StagingSchema
  readonly #version: ReachSource
  readonly #flows: readonly MappingFlow[]
  readonly #outputs: readonly string[]
  readonly #known = new Map<string, readonly string[]>()

  constructor(schema: StagingSchema, version: ReachSource) {
    this.#schema = schema
    this.#version = version
    this.#flows = (schema.mappings ?? []).map((mapping) => flowOf(mapping, version))
    this.#outputs = version.derivation.stagingOutputs(schema)
  }

  /** Returns the outputs affected by an error, in the order of the schema. */
  outputsOf(error: StagingError, { phase, mapping, path }: ErrorOrigin): readonly string[] {
    const { key, table, columns } = error
    if (phase === 'output') return key === undefined ? [] : [key]
    const asked = [phase, mapping, path, key, table, columns].join('\n')
    const known = this.#known.get(asked)
    if (known) return known
    const found =
      mapping === undefined
        ? this.#reach(key === undefined ? [] : [key], 0, 0)
        : this.#ofTable(error, mapping, path)
    this.#known.set(asked, found)
    return found
  }

  #ofTable(error: StagingError, mapping: number, place: number | undefined): readonly string[] {
    const flow = this.#flows[mapping]
    if (place === undefined) {
      // It is unknown whether the mapping applies, so both cases are included.
      const all = [...(flow?.initial ?? []), ...(flow?.paths.flatMap(({ writes }) => writes) ?? [])]
      return this.#reach(all, mapping + 1, 0)
    }
    const path = this.#schema.mappings?.[mapping]?.tables?.[place]
    const own = path ? this.#writtenBy(error, path) : []
    const { paths = [] } = flow ?? {}
    const stopped = paths[place]?.mayStop ? paths.slice(place + 1) : []
    return this.#reach([...own, ...stopped.flatMap(({ writes }) => writes)], mapping, place + 1)
  }

  /** Returns the keys that the failed table would have set. */
  #writtenBy({ type, table, columns }: StagingError, path: TablePath): readonly string[] {
    const { derivation } = this.#version
    if (table === undefined || !columns) return derivation.pathOutputs(path)
    const tables =
      type === 'MATCH_NOT_FOUND'
        ? [...derivation.reachedFrom(table)]
        : columns.flatMap((column) => this.#jumpsOf(table, column))
    const renamed = outputRenaming(path)
    return [
      ...columns,
      ...tables.flatMap((id) => this.#version.table(id)?.endpointKeys ?? []),
    ].flatMap(renamed)
  }

  /** Returns the tables reachable from the cells of a column. */
  #jumpsOf(table: string, column: string): string[] {
    const { derivation } = this.#version
    const cells = this.#version.table(table)?.endpoints.find(({ key }) => key === column)?.cells
    return (cells ?? []).flatMap((cell) =>
      cell.type === 'JUMP' ? [cell.table, ...derivation.reachedFrom(cell.table)] : [],
    )
  }

  /** Returns the outputs affected by keys from a position in the mappings on. */
  #reach(keys: readonly string[], mapping: number, place: number): readonly string[] {
    const touched = new Set(keys)
    for (const [i, { decided, initial, paths }] of this.#flows.entries()) {
      if (i < mapping) continue
      const isOpen = i > mapping || place === 0
      let isAll = isOpen && touches(touched, decided)
      if (isAll) for (const key of initial) touched.add(key)
      for (const { reads, writes, mayStop } of paths.slice(i === mapping ? place : 0)) {
        if (!isAll && !touches(touched, reads)) continue
        for (const key of writes) touched.add(key)
        isAll ||= mayStop
      }
    }
    return this.#outputs.filter((key) => touched.has(key))
  }
}

const touches = (keys: ReadonlySet<string>, others: ReadonlySet<string>) =>
  [...keys].some((key) => others.has(key))

function flowOf(
  { inclusion_tables = [], exclusion_tables = [], initial_context = [], tables = [] }: Mapping,
  version: ReachSource,
): MappingFlow {
  const { derivation } = version
  const decide = [...inclusion_tables, ...exclusion_tables]
  return {
    decided: new Set(decide.flatMap((path) => derivation.pathReads(path))),
    initial: initial_context.map(({ key }) => key),
    paths: tables.map((path) => ({
      reads: new Set(derivation.pathReads(path)),
      writes: derivation.pathOutputs(path),
      mayStop: [path.id, ...derivation.reachedFrom(path.id)].some((id) => stops(version.table(id))),
    })),
  }
}

const stops = (index: TableIndex | undefined) =>
  index?.endpoints.some(({ cells }) => cells.some(({ type }) => type === 'STOP')) ?? false
