import type { Job } from '../../../shared/executor.ts'
import type { FieldPath } from '../../datasets/field-path.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { LoadedArrays } from '../../release/loaded.ts'
import { quantileOf } from '../statistics/quantile.ts'
import { ExactTails } from '../statistics/rank-sum.ts'
import { type CaseCodes, caseCodes, SEVERAL } from './case-codes.ts'
import { type CaseGroups, groupMasks, rowsIn } from './case-groups.ts'
import type { ComparedField, FieldGroup, LeftOutField } from './compared-field.ts'
import { testCategories, testNumbers } from './group-tests.ts'

interface CompareFieldsInput {
  readonly loaded: LoadedArrays
  readonly fields: readonly FieldPath[]
  readonly groups: CaseGroups
}

/** Maximum number of values of a field of categories, each of which is listed. */
const MAX_VALUES = 100

/** Compares some fields between groups of cases. Fields that none of the cases has are left out silently. */
export const compareFieldsJob: Job<CompareFieldsInput, readonly (ComparedField | LeftOutField)[]> =
  {
    name: 'comparison.fields',
    run({ loaded, fields, groups }) {
      const arrays = arraysOf(loaded)
      const rows = rowsIn(groups)
      const masks = groupMasks(groups)
      const places = groupPlaces(rows, masks, groups.bits.length)
      const isTested = groups.overlaps.length === 0
      const exact = new ExactTails()
      return fields.flatMap((field) => {
        const codes = caseCodes(field, rows, arrays)
        if (!codes || codes.codes.every((code) => code === 0)) return []
        const compared = { field: field.path, places, codes, isTested }
        return codes.kind === 'number'
          ? compareNumbers(compared, exact)
          : compareCategories(compared)
      })
    },
  }

/** Returns the places in `rows` of the cases of each group. */
function groupPlaces(
  rows: Uint32Array,
  masks: Uint16Array,
  groups: number,
): readonly Uint32Array[] {
  return Array.from({ length: groups }, (_, group) => {
    const places: number[] = []
    for (const [place, row] of rows.entries()) {
      if (((masks[row]! >>> group) & 1) === 1) places.push(place)
    }
    return Uint32Array.from(places)
  })
}

interface FieldToCompare {
  readonly field: string
  readonly places: readonly Uint32Array[]
  readonly codes: CaseCodes
  /** Whether the groups share no cases. */
  readonly isTested: boolean
}

/** Counts the cases of a group that have one value, and those that have several. */
function countKnown(places: Uint32Array, codes: Int32Array): FieldGroup {
  let [cases, several] = [0, 0]
  for (const place of places) {
    if (codes[place] === SEVERAL) several++
    else if (codes[place]! > 0) cases++
  }
  return { cases, several }
}

function compareCategories(compared: FieldToCompare): ComparedField | LeftOutField {
  const { field, places, codes, isTested } = compared
  const known = new Set(codes.codes.filter((code) => code > 0))
  if (known.size > MAX_VALUES) return { field, reason: 'too many values', values: known.size }
  const ascending = [...known].sort((a, b) => a - b)
  const table = places.map((group) => countCodes(group, codes.codes, ascending))
  const groups = places.map((group) => countKnown(group, codes.codes))
  const values = ascending.map((code, i) => {
    const counts = table.map((row) => row[i]!)
    const shares = counts.map((count, g) => {
      const { cases } = groups[g]!
      return cases > 0 ? count / cases : null
    })
    return { value: codes.text(code), counts, shares }
  })
  return {
    field,
    kind: 'categories',
    groups,
    values,
    test: isTested ? testCategories(table) : null,
  }
}

/** Counts the cases at some places by code, in the order of the given codes. */
function countCodes(
  places: Uint32Array,
  codes: Int32Array,
  order: readonly number[],
): readonly number[] {
  const counts = new Map<number, number>()
  for (const place of places) {
    const code = codes[place]!
    counts.set(code, (counts.get(code) ?? 0) + 1)
  }
  return order.map((code) => counts.get(code) ?? 0)
}

function compareNumbers(compared: FieldToCompare, exact: ExactTails): ComparedField {
  const { field, places, codes, isTested } = compared
  const numbers = places.map((group) => sortedNumbers(group, codes))
  const groups = places.map((group, i) => ({
    ...countKnown(group, codes.codes),
    median: quantileOf(numbers[i]!, 0.5),
    lower_quartile: quantileOf(numbers[i]!, 0.25),
    upper_quartile: quantileOf(numbers[i]!, 0.75),
  }))
  return { field, kind: 'numbers', groups, test: isTested ? testNumbers(numbers, exact) : null }
}

/** Returns the numbers of the cases at some places in ascending order. */
function sortedNumbers(places: Uint32Array, { codes, number }: CaseCodes): Float64Array {
  const known = places.filter((place) => codes[place]! > 0)
  return Float64Array.from(known, (place) => number(codes[place]!)).sort()
}
