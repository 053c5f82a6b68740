import { didYouMean, NearNames, quotedName } from '../../shared/input/near-name.ts'
import { spellingsOf } from '../../shared/input/spellings.ts'
import type { Warnings } from '../../shared/input/warnings.ts'
import type { DatasetName } from '../datasets/define.ts'
import { datasetOf } from '../datasets/index.ts'
import { wantedCodes } from '../query/codes.ts'
import type { Filter, FilterValue, Leaf } from '../query/filter-tree.ts'
import { leavesOf } from '../query/keys.ts'
import { isPattern, isPrefixPattern, SET_PREFIX } from '../query/pattern.ts'
import { chromosomesOf } from '../query/regions.ts'
import { arraysOf } from '../release/arrays.ts'
import type { Dictionary } from '../release/dictionary.ts'
import { foldText, isNumberType } from '../release/fold.ts'
import { columnKey } from '../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../release/loaded.ts'

/** Maximum number of values to look up, which takes 0.1 ms. The first ones of a list are checked. */
const MAX_LOOKED_UP = 100
/** Maximum number of values named in warnings. */
const MAX_NAMED = 5
/** Maximum number of other conditions of an `or` in which a value is also looked up before it counts as unknown. */
const MAX_OTHERS = 16
/** Maximum number of values of a column for comparing all of them with an unknown one. */
const FEW_VALUES = 512
/** Number of neighbours in sorted order, on each side, that are compared in larger columns. */
const NEIGHBOURS = 32

/** Source of the columns to look values up in. */
export interface ValueSource {
  load(
    keys: Iterable<ArrayKey>,
    options: { readonly signal?: AbortSignal | undefined },
  ): Promise<LoadedArrays>
}

/**
 * Warns about filter values that no record has and suggests the nearest ones (data-commons.md 11.36), under
 * the parameter that they were given in. Only the first conditions are checked, and no negative ones:
 * excluding a value that no record has is no mistake. Also warns as `warnOfBounds` does.
 * @throws EngineError corrupt_source if the release is damaged
 */
export async function warnOfValues(
  filters: readonly (Filter | undefined)[],
  source: ValueSource,
  warnings: Warnings,
  options: { readonly signal?: AbortSignal | undefined } = {},
): Promise<void> {
  for (const filter of filters) warnOfBounds(filter, warnings)
  const values = [...firstValues(filters)]
  if (values.length === 0) return
  const leaves = values.flatMap(({ leaf, others }) => [leaf, ...others])
  const keys = leaves.map(({ field: { column } }) => columnKey(column.dataset, column.path))
  const arrays = arraysOf(await source.load(new Set(keys), options))
  const near = new NearNames()
  const unknown = new Map<string, Set<string>>()
  for (const { leaf, others, value } of values) {
    // An empty dataset has no values to suggest.
    if (arrays.rows(leaf.field.column.dataset) === 0) continue
    if (isKnown(leaf, value, arrays)) continue
    if (others.some((other) => isKnownTo(other, value, arrays))) continue
    const parameter = parameterOf(leaf)
    const texts = unknown.get(parameter) ?? new Set()
    unknown.set(parameter, texts)
    // After MAX_NAMED values, unknown values are only counted.
    const hasNear = texts.size < MAX_NAMED
    texts.add(textOf(leaf, value, arrays, hasNear ? near : undefined))
  }
  for (const [parameter, texts] of unknown) {
    for (const text of [...texts].slice(0, MAX_NAMED)) warnings.add(parameter, text)
    const more = texts.size - MAX_NAMED
    if (more > 0) warnings.add(parameter, `${more} more such values`)
  }
}

/** Warns about comparisons with several values, of which only the first counts (data-commons.md 1.4). */
export function warnOfBounds(filter: Filter | undefined, warnings: Warnings): void {
  const leaves = filter ? leavesOf(filter).filter((leaf) => leaf.unusedCount !== undefined) : []
  for (const leaf of leaves.slice(0, MAX_NAMED)) {
    const { op, at, values, unusedCount = 0 } = leaf
    const first = quotedName(String(values[0]))
    const text = `${at}.content.value of "${op}" has ${unusedCount + 1} values, and only the first counts, ${first}`
    warnings.add(parameterOf(leaf), text)
  }
  const [next, ...more] = leaves.slice(MAX_NAMED)
  if (next) warnings.add(parameterOf(next), `${more.length + 1} more such comparisons`)
}

const parameterOf = ({ at }: Leaf): string => at.split(/[.[]/, 1)[0] ?? 'filters'

/**
 * Returns whether any matching record implies that there is nothing to warn about: all conditions are joined by
 * `and`, and each has a single value.
 */
export function needsAllValues(filter: Filter): boolean {
  if (filter.kind !== 'leaf') return filter.kind === 'and' && filter.parts.every(needsAllValues)
  if (filter.unusedCount !== undefined) return false
  return !isListing(filter) || (filter.values.length === 1 && !filter.sets)
}

/**
 * Returns whether a filter lists ids of a dataset's records and as many records match, so that there is one for
 * each and nothing to warn about.
 */
export function areAllFound(filter: Filter, name: DatasetName, total: number): boolean {
  if (filter.kind !== 'leaf' || !isListing(filter) || filter.sets) return false
  const { column, steps } = filter.field
  const isId =
    steps.length === 0 && column.dataset === name && column.path === datasetOf(name).idField
  if (!isId || filter.values.length < total) return false
  return (
    !filter.values.some((value) => typeof value !== 'string' || isPattern(value)) &&
    new Set(filter.values).size === total
  )
}

/** A condition, with alternatives of which one suffices. */
interface FilterLeaf {
  readonly leaf: Leaf
  readonly others: readonly Leaf[]
}

interface ComparedValue extends FilterLeaf {
  readonly value: FilterValue
}

/** Yields the first plain values that conditions list. */
function* firstValues(filters: readonly (Filter | undefined)[]): Generator<ComparedValue> {
  let left = MAX_LOOKED_UP
  for (const filter of filters) {
    for (const { leaf, others } of filter ? listingLeaves(filter, []) : []) {
      for (const value of leaf.values) {
        if (left-- <= 0) return
        if (!isSearched(value) && !isSet(value)) yield { leaf, others, value }
      }
    }
  }
}

/**
 * Yields conditions that list values, lazily because a filter may have thousands. A client that does not know
 * whether a text is, say, a symbol or an id sends one `or` with a condition for each field. `others` are these
 * conditions: a value is known if any of their fields has it.
 */
function* listingLeaves(filter: Filter, others: readonly Leaf[]): Generator<FilterLeaf> {
  if (filter.kind === 'leaf') {
    if (isListing(filter)) yield { leaf: filter, others }
    return
  }
  const isOr = filter.kind === 'or'
  const here = isOr ? filter.parts.slice(0, MAX_OTHERS).filter(isPlain) : []
  for (const part of filter.parts) yield* listingLeaves(part, isOr ? here : others)
}

const isListing = ({ op }: Leaf) => op === 'in'

const isPlain = (filter: Filter): filter is Leaf =>
  filter.kind === 'leaf' && isListing(filter) && !filter.field.region

/** Returns whether a pattern would have to be compared with every value of the column. */
const isSearched = (value: FilterValue): boolean =>
  typeof value === 'string' && isPattern(value) && !isPrefixPattern(value)

/** Returns whether a value names a stored set, as in the public service. For it, no id is suggested. */
const isSet = (value: FilterValue): boolean =>
  typeof value === 'string' && value.startsWith(SET_PREFIX)

const columnOf = ({ field }: Leaf, arrays: ReleaseArrays) =>
  arrays.column(field.column.dataset, field.column.path)

function isKnown(leaf: Leaf, value: FilterValue, arrays: ReleaseArrays): boolean {
  const column = columnOf(leaf, arrays)
  const values = leaf.field.region ? chromosomesOf(String(value)) : [value]
  return wantedCodes({ ...leaf, op: 'in', values }, column).length > 0
}

/** Like `isKnown`, for a value that was parsed for another field, and may have lost its upper case there. */
function isKnownTo(other: Leaf, value: FilterValue, arrays: ReleaseArrays): boolean {
  if (typeof value === 'number' || isNumberType(other.field.type)) {
    return isKnown(other, Number(value), arrays)
  }
  const folded = foldText(other.field.type, value)
  if (isKnown(other, folded, arrays)) return true
  // If this field is case-sensitive, only its own condition has the value as it was typed.
  const written = other.values
    .slice(0, MAX_LOOKED_UP)
    .find((one) => String(one).toLowerCase() === folded)
  return written !== undefined && isKnown(other, written, arrays)
}

function textOf(
  leaf: Leaf,
  value: FilterValue,
  arrays: ReleaseArrays,
  near: NearNames | undefined,
): string {
  const { path } = leaf.field
  const column = columnOf(leaf, arrays)
  if (!column) return `no record has a value in ${path}`
  // In a region, only the chromosome can be misspelled.
  const text = leaf.field.region ? (String(value).split(':', 1)[0] ?? '') : String(value)
  const isText = column.dictionary.kind === 'text'
  const nearest = isText && near ? nearestValue(text, column.dictionary, near) : undefined
  return `no record has ${quotedName(text)} in ${path}${didYouMean([[text, nearest]])}`
}

const ID = /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i

/**
 * Suggests a column value for an unknown one: the same text in another case, another spelling of a chromosome
 * (`17`, `chr17`), or a similar value.
 */
export function nearestValue(
  text: string,
  dictionary: Pick<Dictionary, 'find' | 'lowerBound' | 'size' | 'text'>,
  near: NearNames,
): string | undefined {
  // Ids are opaque, so a similar id is no suggestion.
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
    // Start with the closest neighbours in sorted order, because they share the longest prefix.
    for (let distance = 0; distance < NEIGHBOURS; distance++) {
      if (place + distance <= size) yield dictionary.text(place + distance)
      if (place - distance > 1) yield dictionary.text(place - distance - 1)
    }
  }
}
