import {
  type Bits,
  countBits,
  hasBit,
  newBits,
  setRange,
  unite,
} from '../../shared/arrays/bitset.ts'
import type { TableName } from '../datasets/define.ts'
import type { FieldPath, Step } from '../datasets/field-path.ts'
import { type Column, countsOf, type ReleaseArrays } from '../release/loaded.ts'
import { type CodeSet, isNegative, sizeOf, wantedCodes, withCodes } from './codes.ts'
import type { Filter, Junction, Leaf } from './filter-tree.ts'
import { type JoinPath, joinPathOf } from './join-path.ts'
import { type Joined, type Joins, passingNumbers } from './joined.ts'
import { leavesOf } from './keys.ts'
import { idColumnOf, isOwnId } from './pinned-set.ts'
import { overlapsOf } from './regions.ts'

// A code is the 1-based position of a value in its column's dictionary (release/layout.ts). Code 0: no value.

interface Planned {
  /** Estimated fraction of rows or elements that match, 0 to 1. */
  readonly share: number
  /** Equal for units made from the same leaves. */
  readonly key: string
}

/** Condition that an element has one of these codes. */
export interface Term {
  readonly column: Column | undefined
  readonly codes: CodeSet
  /** Replaces the codes if the values are the records' own ids and some of them come from stored sets. */
  readonly members?: Members | undefined
}

/** Bitmap of the matching elements, and their number. */
interface Members {
  readonly bits: Bits
  readonly count: number
}

/**
 * A leaf of a filter, tested on rows or elements. It matches if an element on the leaf's path satisfies all
 * terms of one of the lists. Only leaves on genomic regions have several terms.
 */
export interface Test extends Planned {
  readonly kind: 'test'
  readonly joinPath: JoinPath | undefined
  readonly anyOf: readonly (readonly Term[])[]
  /** Whether the test matches if no element satisfies the terms. */
  readonly negative: boolean
}

/** A group of units that a single element at the end of the path must match together (data-commons.md 1.3). */
interface Scope extends Planned {
  readonly kind: 'scope'
  readonly joinPath: JoinPath | undefined
  readonly units: readonly Unit[]
}

interface Choice extends Planned {
  readonly kind: 'or'
  readonly parts: readonly (readonly Unit[])[]
}

/** A single leaf on a joined field, tested by the set number of each row. */
export interface Numbered extends Planned {
  readonly kind: 'numbered'
  readonly joined: Joined
  /** Table with 1 for each set number whose rows match. */
  readonly passing: Uint8Array
  /** Number of matching rows. */
  readonly count: number
}

export type Unit = Test | Scope | Choice | Numbered

/** The rows or elements that conditions are tested on. */
interface Base {
  readonly steps: number
  readonly size: number
}

/** Compiles normalised filters to units. Keys of units are comparable within one planner. */
export class Planner {
  readonly #arrays: ReleaseArrays
  readonly #rows: number
  readonly #joins: Joins | undefined
  readonly #keys = new Map<Leaf, string>()
  readonly #terms = new Map<Leaf, Test['anyOf']>()
  readonly #rowsOfIds = new Map<Column, Uint32Array>()

  /** @param joins fields that have been joined to the rows of the table */
  constructor(table: TableName, arrays: ReleaseArrays, joins?: Joins) {
    this.#arrays = arrays
    this.#joins = joins
    this.#rows = arrays.rows(table)
  }

  /** Returns units that must all match, most selective first. */
  plan(filter: Filter | undefined): readonly Unit[] {
    return filter ? this.#conjunction(filter) : []
  }

  /** Plans a filter on elements. All of its leaves must begin with the steps to these elements. */
  planElements(filter: Filter, base: Base): readonly Unit[] {
    return this.#conjunction(filter, base)
  }

  /** @param base elements to test and number of steps that lead to them; the rows by default */
  #conjunction(filter: Filter, base: Base = { steps: 0, size: this.#rows }): readonly Unit[] {
    const root = new Group()
    const choices: Unit[] = []
    for (const part of filter.kind === 'and' ? filter.parts : [filter]) {
      if (part.kind === 'leaf') root.add(part, part.field.steps.slice(base.steps))
      else choices.push(part.within ? this.#bound(part, part.within) : this.#choice(part, base))
    }
    const { group, units } = base.steps > 0 ? { group: root, units: [] } : this.#numbered(root)
    return bySelectivity([...units, ...this.#units(group, base.size), ...choices])
  }

  /** Plans a junction that a single element must satisfy as a whole. Used only at the top of a filter. */
  #bound(filter: Junction, within: number): Scope {
    const steps = leavesOf(filter)[0]?.field.steps.slice(0, within) ?? []
    const joinPath = joinPathOf(steps, this.#rows, this.#arrays)
    const units = [this.#choice(filter, { steps: within, size: joinPath?.size ?? 0 })]
    const key = `${steps.at(-1)?.path ?? ''}{${keyOf(units)}}`
    return { kind: 'scope', joinPath, units, share: shareOf(units), key }
  }

  /** Separates the leaves that can be tested by joined fields: those that share their element with no other leaf. */
  #numbered(root: Group): { readonly group: Group; readonly units: readonly Numbered[] } {
    if (!this.#joins) return { group: root, units: [] }
    const units: Numbered[] = []
    const group = new Group()
    const isTaken = (leaf: Leaf | undefined) => {
      const unit = leaf && this.#numberedOf(leaf)
      if (unit) units.push(unit)
      return unit !== undefined
    }
    for (const test of root.tests) if (!isTaken(test.leaf)) group.tests.push(test)
    for (const [path, scope] of root.scopes) {
      if (!isTaken(scope.group.only)) group.scopes.set(path, scope)
    }
    return { group, units }
  }

  #numberedOf(leaf: Leaf): Numbered | undefined {
    const joined = this.#joins?.get(leaf.field.path)
    const [terms] = this.#termsOf(leaf)
    const [term] = terms ?? []
    if (!joined?.numbers || leaf.field.region || !term?.column || term.members) return undefined
    const passing = passingNumbers(joined, leaf, term.codes, term.column.layout.distinct)
    const { starts } = joined
    let count = 0
    for (let number = 0; number < passing.length; number++) {
      if (passing[number] === 1) count += starts[number + 1]! - starts[number]!
    }
    const share = this.#rows === 0 ? 0 : count / this.#rows
    return { kind: 'numbered', joined, passing, count, share, key: this.#keyOf(leaf) }
  }

  #choice(filter: Junction, base: Base): Choice {
    const parts = filter.parts.map((part) => this.#conjunction(part, base))
    const share = parts.reduce((sum, units) => sum + shareOf(units), 0)
    const key = `or(${parts.map(keyOf).join('|')})`
    return { kind: 'or', parts, share: Math.min(1, share), key }
  }

  #units(group: Group, size: number): readonly Unit[] {
    const tests = group.tests.map(({ leaf, steps }) => this.#test(leaf, steps, size))
    const scopes = [...group.scopes.values()].map(({ steps, group: inner }): Scope => {
      const joinPath = joinPathOf(steps, size, this.#arrays)
      const units = bySelectivity(this.#units(inner, joinPath?.size ?? 0))
      const path = steps.at(-1)?.path ?? ''
      return {
        kind: 'scope',
        joinPath,
        units,
        share: shareOf(units),
        key: `${path}{${keyOf(units)}}`,
      }
    })
    return [...tests, ...scopes]
  }

  #test(leaf: Leaf, steps: readonly Step[], size: number): Test {
    const anyOf = this.#termsOf(leaf)
    const rows = this.#arrays.rows(leaf.field.column.dataset)
    const parts = anyOf.map((terms) => Math.min(...terms.map((term) => shareWith(term, rows))))
    const part = Math.min(
      1,
      parts.reduce((sum, one) => sum + one, 0),
    )
    const negative = isNegative(leaf)
    const share = negative ? 1 - part : part
    return {
      kind: 'test',
      joinPath: joinPathOf(steps, size, this.#arrays),
      anyOf,
      negative,
      share,
      key: this.#keyOf(leaf),
    }
  }

  #keyOf(leaf: Leaf): string {
    const key = this.#keys.get(leaf) ?? String(this.#keys.size)
    this.#keys.set(leaf, key)
    return key
  }

  #termsOf(leaf: Leaf): Test['anyOf'] {
    const terms = this.#terms.get(leaf) ?? this.#findTerms(leaf)
    this.#terms.set(leaf, terms)
    return terms
  }

  #findTerms(leaf: Leaf): Test['anyOf'] {
    const overlaps = leaf.field.region ? overlapsOf(leaf) : [[leaf]]
    return overlaps.map((leaves) =>
      leaves.map((one) => {
        const { dataset, path } = one.field.column
        const column = this.#arrays.column(dataset, path)
        return this.#termOf(one, column)
      }),
    )
  }

  #termOf(leaf: Leaf, column: Column | undefined): Term {
    const codes = wantedCodes(leaf, column)
    const { sets = [], field } = leaf
    const [first] = sets
    if (!column || first === undefined) return { column, codes }
    const target = idColumnOf(first)
    const bits = newBits(this.#arrays.rows(target.dataset))
    for (const key of sets) unite(bits, this.#arrays.members(key))
    if (!isOwnId(field)) {
      const rows = this.#rowsOfCodes(column, target)
      return { column, codes: withCodes(codes, codesIn(bits, rows)) }
    }
    // The code of an id is its row plus one.
    for (let i = 0; i < codes.length; i += 2) setRange(bits, codes[i]! - 1, codes[i + 1]! - 1)
    return { column, codes, members: { bits, count: countBits(bits) } }
  }

  /** For a column with ids of other records, returns the record's row plus one by code. 0 for no record. */
  #rowsOfCodes(column: Column, target: FieldPath['column']): Uint32Array {
    const known = this.#rowsOfIds.get(column)
    if (known) return known
    const { dictionary } = column
    const ids = this.#arrays.column(target.dataset, target.path)?.dictionary
    const rows = new Uint32Array(dictionary.size + 1)
    for (let code = 1; code < rows.length; code++) {
      rows[code] = ids?.find(dictionary.text(code)) ?? 0
    }
    this.#rowsOfIds.set(column, rows)
    return rows
  }
}

/**
 * Returns the codes, ascending, whose row plus one (in `rows`) is in a bitmap.
 * @param rows row of each code, plus one
 */
function codesIn(bits: Bits, rows: Uint32Array): Uint32Array {
  const found = new Uint32Array(rows.length)
  let count = 0
  for (let code = 1; code < rows.length; code++) {
    const row = rows[code]!
    if (row > 0 && hasBit(bits, row - 1)) found[count++] = code
  }
  return found.subarray(0, count)
}

/** Leaves of one `and`, grouped by the element that they refer to. */
class Group {
  readonly tests: { readonly leaf: Leaf; readonly steps: readonly Step[] }[] = []
  readonly scopes = new Map<string, { readonly steps: readonly Step[]; readonly group: Group }>()

  add(leaf: Leaf, steps: readonly Step[] = leaf.field.steps): void {
    // `excludeifany` is a condition on the whole record (data-commons.md 1.1).
    const end = leaf.op === 'excludeifany' ? 0 : steps.findIndex(isNested) + 1
    if (end === 0) {
      this.tests.push({ leaf, steps })
      return
    }
    const own = steps.slice(0, end)
    const path = own.at(-1)?.path ?? ''
    const scope = this.scopes.get(path) ?? { steps: own, group: new Group() }
    this.scopes.set(path, scope)
    scope.group.add(leaf, steps.slice(end))
  }

  /** The leaf, if the group has only one. */
  get only(): Leaf | undefined {
    if (this.tests.length + this.scopes.size > 1) return undefined
    const [scope] = this.scopes.values()
    return this.tests[0]?.leaf ?? scope?.group.only
  }
}

const isNested = (step: Step): boolean => step.kind !== 'link' && step.nested

const bySelectivity = (units: readonly Unit[]): readonly Unit[] =>
  units.toSorted((one, other) => one.share - other.share)

const shareOf = (units: readonly Unit[]): number =>
  units.reduce((least, { share }) => Math.min(least, share), 1)

const keyOf = (units: readonly Unit[]): string =>
  units
    .map(({ key }) => key)
    .toSorted()
    .join('&')

/** Maximum number of codes that are looked up for an estimate. */
const MAX_COUNTED = 4096

/** Returns the fraction of records with one of the codes. */
function shareWith({ codes, column, members }: Term, rows: number): number {
  if (members) return rows === 0 ? 0 : members.count / rows
  const size = sizeOf(codes)
  if (!column || rows === 0 || size === 0) return 0
  const { layout } = column
  if (layout.identity) return size / rows
  const counts = countsOf(column)
  if (size > MAX_COUNTED) {
    return (size / layout.distinct) * (1 - counts[0]! / rows)
  }
  let total = 0
  for (let i = 0; i < codes.length; i += 2) {
    for (let code = codes[i]!; code < codes[i + 1]!; code++) {
      total += counts[code]!
    }
  }
  return Math.min(1, total / rows)
}
