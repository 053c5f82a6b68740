import type { Job } from '../../shared/executor.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { DATASETS } from '../datasets/index.ts'
import { resolveField } from '../datasets/resolve.ts'
import type { Filter } from '../query/filter-tree.ts'
import { joinPathOf } from '../query/join-path.ts'
import { keysOfField, keysOfFilter } from '../query/keys.ts'
import { selectRows } from '../query/select.ts'
import { rowsOf } from '../query/selection.ts'
import { sourceOf } from '../query/source.ts'
import { statsOf } from '../query/stats.ts'
import { reach, walk } from '../query/walk.ts'
import { arraysOf } from '../release/arrays.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../release/loaded.ts'

/** Query for the totals of a cart: which files it contains, and by which fields to group them. */
export interface CartQuery {
  readonly filter: Filter | undefined
  /** Fields of files to group by. */
  readonly fields: readonly string[]
}

interface CartBucket {
  /** Number of distinct cases of the files. */
  readonly case_count: number
  readonly doc_count: number
  /** Total size in bytes. */
  readonly file_size: number
  readonly key: string
}

export interface Cart {
  /** Total size of all files in bytes. */
  readonly fs: { readonly value: number }
  /** Groups by field, largest first. */
  readonly buckets: Readonly<Record<string, readonly CartBucket[]>>
}

interface CartInput {
  readonly query: CartQuery
  readonly loaded: LoadedArrays
}

/** Totals the files of a cart by their fields (portal.md 4.8). */
export const cartJob: Job<CartInput, Cart> = {
  name: 'search-graph.cart',
  run: ({ query, loaded }) => cartOf(query, arraysOf(loaded)),
}

const fieldOf = (name: string): FieldPath => {
  const field = resolveField(DATASETS.files, name)
  if (!field) throw new Error(`files have no field ${name}`)
  return field
}

const SIZE = fieldOf('file_size')
const CASES = fieldOf('cases.case_id')

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfCart({ filter, fields }: CartQuery): readonly ArrayKey[] {
  const asked = [SIZE, CASES, ...fields.map(fieldOf)]
  return [...new Set([...keysOfFilter(filter), ...asked.flatMap(keysOfField)])]
}

function cartOf({ filter, fields }: CartQuery, arrays: ReleaseArrays): Cart {
  const { rows: selected } = selectRows('files', filter, [], arrays)
  const rows = rowsOf(selected)
  const buckets = fields.map((name) => [name, bucketsOf(fieldOf(name), rows, arrays)] as const)
  const { sum } = statsOf(SIZE, selected, arrays)
  return { fs: { value: sum }, buckets: Object.fromEntries(buckets) }
}

function bucketsOf(
  field: FieldPath,
  rows: Uint32Array,
  arrays: ReleaseArrays,
): readonly CartBucket[] {
  const source = sourceOf(field, arrays.rows('files'), arrays)
  if (!source.column) return []
  const { column } = source
  const { distinct } = column.layout
  const sizes = arrays.column('files', 'file_size')
  const sizeOf = (row: number) => sizes?.numbers?.[(sizes.codes?.[row] ?? 0) - 1] ?? 0
  const counts = new Uint32Array(distinct + 1)
  const bytes = new Float64Array(distinct + 1)
  const toCases = joinPathOf(CASES.steps, arrays.rows('files'), arrays)
  const pairs = new PairList(toCases?.size ?? 0)
  const seen = new Uint32Array(distinct + 1)
  walk(source, rows, ({ rows: some, holders, values }) => {
    const cases = toCases && reach(toCases.moves, some)
    const firstCase = cases && startsOf(cases, some.length)
    for (let i = 0; i < values.length; i++) {
      const code = values.members[i]!
      const place = holders.owners[values.owners[i]!]!
      const row = some[place]!
      // A file with the same value from several cases counts once. Values of a row are adjacent.
      if (seen[code] === row + 1) continue
      seen[code] = row + 1
      counts[code] = counts[code]! + 1
      bytes[code] = bytes[code]! + sizeOf(row)
      for (let n = firstCase?.[place] ?? 0; n < (firstCase?.[place + 1] ?? 0); n++) {
        pairs.add(code, cases?.members[n] ?? 0)
      }
    }
  })
  const cases = pairs.countByCode(distinct)
  const codes = [...counts.keys()].filter((code) => code > 0 && counts[code]! > 0)
  codes.sort((a, b) => counts[b]! - counts[a]! || a - b)
  return codes.map((code) => ({
    case_count: cases[code]!,
    doc_count: counts[code]!,
    file_size: bytes[code]!,
    key: column.dictionary.text(code),
  }))
}

/** Returns the index at which the targets of each owner start. Owners must be ascending. */
function startsOf(
  { owners, length }: { readonly owners: Uint32Array; readonly length: number },
  count: number,
) {
  const starts = new Uint32Array(count + 1)
  for (let i = 0; i < length; i++) {
    const after = owners[i]! + 1
    starts[after] = starts[after]! + 1
  }
  for (let i = 0; i < count; i++) starts[i + 1] = starts[i + 1]! + starts[i]!
  return starts
}

/** Counts each pair of a value and a case once. */
class PairList {
  readonly #size: number
  #pairs = new Float64Array(1024)
  #length = 0

  /** @param size number of cases */
  constructor(size: number) {
    this.#size = size
  }

  add(code: number, one: number): void {
    if (this.#length === this.#pairs.length) {
      const more = new Float64Array(2 * this.#length)
      more.set(this.#pairs)
      this.#pairs = more
    }
    this.#pairs[this.#length++] = code * this.#size + one
  }

  countByCode(distinct: number): Uint32Array {
    const counts = new Uint32Array(distinct + 1)
    const pairs = this.#pairs.subarray(0, this.#length).sort()
    for (let i = 0; i < pairs.length; i++) {
      if (i > 0 && pairs[i] === pairs[i - 1]) continue
      const code = Math.floor(pairs[i]! / this.#size)
      counts[code] = counts[code]! + 1
    }
    return counts
  }
}
