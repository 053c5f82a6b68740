import { didYouMean, NearNames, quotedName } from '../../shared/input/near-name.ts'
import { spellingsOf } from '../../shared/input/spellings.ts'
import type { Warnings } from '../../shared/input/warnings.ts'
import { wantedCodes } from '../query/codes.ts'
import type { Filter, FilterValue, Leaf } from '../query/filter-tree.ts'
import { isPattern, isPrefixPattern } from '../query/pattern.ts'
import { chromosomesOf } from '../query/regions.ts'
import { arraysOf } from '../release/arrays.ts'
import type { Dictionary } from '../release/dictionary.ts'
import { columnKey } from '../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../release/loaded.ts'

/** Values that are looked up: a tenth of a millisecond. Of a list of ids the first ones. */
const MAX_LOOKED_UP = 100
/** Values that are named. */
const MAX_NAMED = 5
/** Values of a column that are all compared; of more, some that would stand beside the given one. */
const FEW_VALUES = 512
const NEIGHBOURS = 32

/** What the values are looked up in. */
export interface ValueSource {
  load(
    keys: Iterable<ArrayKey>,
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<LoadedArrays>
}

/**
 * Warns of values that no record has, with the nearest ones (data-commons.md 11.36): of filters by the
 * parameter that they were given in. Only the columns of the first conditions are looked at.
 * @throws EngineError corrupt_source
 */
export async function warnOfValues(
  filters: readonly (Filter | undefined)[],
  source: ValueSource,
  warnings: Warnings,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  const asked = [...firstValues(filters)]
  if (asked.length === 0) return
  const keys = new Set(
    asked.map(({ leaf }) => columnKey(leaf.field.column.dataset, leaf.field.column.path)),
  )
  const arrays = arraysOf(await source.load(keys, options))
  const near = new NearNames()
  const unknown = new Map<string, number>()
  for (const { leaf, value } of asked) {
    if (isKnown(leaf, value, arrays)) continue
    const parameter = leaf.at.split(/[.[]/, 1)[0] ?? 'filters'
    const count = (unknown.get(parameter) ?? 0) + 1
    unknown.set(parameter, count)
    if (count > MAX_NAMED) continue
    warnings.add(parameter, textOf(leaf, value, arrays, near))
  }
  for (const [parameter, count] of unknown) {
    if (count > MAX_NAMED) warnings.add(parameter, `${count - MAX_NAMED} more such values`)
  }
}

interface AskedValue {
  readonly leaf: Leaf
  readonly value: FilterValue
}

/** Plain values that conditions list, the first ones. */
function* firstValues(filters: readonly (Filter | undefined)[]): Generator<AskedValue> {
  let left = MAX_LOOKED_UP
  for (const leaf of leavesIn(filters)) {
    if (leaf.op !== 'in' && leaf.op !== 'exclude' && leaf.op !== 'excludeifany') continue
    for (const value of leaf.values) {
      if (left-- <= 0) return
      if (!isSearched(value)) yield { leaf, value }
    }
  }
}

/** Whether each value of the column would have to be compared with it. */
const isSearched = (value: FilterValue): boolean =>
  typeof value === 'string' && isPattern(value) && !isPrefixPattern(value)

/** One after the other: a filter may have thousands, of which the first are enough. */
function* leavesIn(filters: readonly (Filter | undefined)[]): Generator<Leaf> {
  for (const filter of filters) {
    if (filter?.kind === 'leaf') yield filter
    else if (filter) yield* leavesIn(filter.parts)
  }
}

const columnOf = ({ field }: Leaf, arrays: ReleaseArrays) =>
  arrays.column(field.column.dataset, field.column.path)

function isKnown(leaf: Leaf, value: FilterValue, arrays: ReleaseArrays): boolean {
  const column = columnOf(leaf, arrays)
  const values = leaf.field.region ? chromosomesOf(String(value)) : [value]
  return wantedCodes({ ...leaf, op: 'in', values }, column).length > 0
}

function textOf(leaf: Leaf, value: FilterValue, arrays: ReleaseArrays, near: NearNames): string {
  const { path } = leaf.field
  const column = columnOf(leaf, arrays)
  if (!column) return `no record has a value in ${path}`
  // Of a region the chromosome is what may be spelled otherwise.
  const text = leaf.field.region ? (String(value).split(':', 1)[0] ?? '') : String(value)
  const isText = column.dictionary.kind === 'text'
  const nearest = isText ? nearestValue(text, column.dictionary, near) : undefined
  return `no record has ${quotedName(text)} in ${path}${didYouMean([[text, nearest]])}`
}

const ID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

/**
 * The value of a column that was meant by one that it has not: the same in another case or with the
 * other spelling of a reference, or one that is much like it.
 */
export function nearestValue(
  text: string,
  dictionary: Pick<Dictionary, 'find' | 'lowerBound' | 'size' | 'text'>,
  near: NearNames,
): string | undefined {
  // No id is meant by another one.
  if (ID.test(text)) return undefined
  const spellings = spellingsOf(text)
  const same = spellings.find((spelling) => dictionary.find(spelling) > 0)
  if (same !== undefined) return same
  return near.of(text, candidatesOf([text, ...spellings], dictionary))
}

function* candidatesOf(
  spellings: readonly string[],
  dictionary: Pick<Dictionary, 'lowerBound' | 'size' | 'text'>,
): Generator<string> {
  const { size } = dictionary
  if (size <= FEW_VALUES) {
    for (let code = 1; code <= size; code++) yield dictionary.text(code)
    return
  }
  for (const spelling of spellings) {
    const place = dictionary.lowerBound(spelling)
    // Nearest first: those begin most alike.
    for (let distance = 0; distance < NEIGHBOURS; distance++) {
      if (place + distance <= size) yield dictionary.text(place + distance)
      if (place - distance > 1) yield dictionary.text(place - distance - 1)
    }
  }
}
