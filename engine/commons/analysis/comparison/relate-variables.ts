import { EngineError } from '../../../shared/errors.ts'
import type { Job } from '../../../shared/executor.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { selectRows } from '../../query/select.ts'
import { rowsOf } from '../../query/selection.ts'
import { arraysOf } from '../../release/arrays.ts'
import type { LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { jsonOf } from '../../render/values.ts'
import { pearson, spearman } from '../statistics/correlation.ts'
import { quantileOf } from '../statistics/quantile.ts'
import { ExactTails } from '../statistics/rank-sum.ts'
import { type ReadableVariable, type VariableValues, valuesOf } from './case-variables.ts'
import { testCategories, testNumbers } from './group-tests.ts'

interface RelateVariablesInput {
  readonly loaded: LoadedArrays
  readonly filter: Filter | undefined
  readonly x: ReadableVariable
  readonly y: ReadableVariable
  /** Maximum number of points of a scatter plot. */
  readonly size: number
  readonly pretty: boolean
}

/** Maximum number of values of a variable of categories, each of which is a row, a column or a box. */
const MAX_VALUES = 100

/**
 * Relates two variables of cases: points and correlations of two numbers, a box for each category of a number, or a
 * table of two variables of categories.
 * @throws EngineError bad_input if a variable of categories has too many values
 */
export const relateVariablesJob: Job<RelateVariablesInput, Uint8Array<ArrayBuffer>> = {
  name: 'comparison.variables',
  run({ loaded, filter, x, y, size, pretty }) {
    const arrays = arraysOf(loaded)
    const selected = selectRows('cases', filter, [], arrays).rows
    const rows = rowsOf(selected)
    const [first, second] = [x, y].map((one, i) =>
      bounded(valuesOf(one, rows, selected, arrays), one, i === 0 ? 'x' : 'y'),
    ) as [VariableValues, VariableValues]
    const facts = { total: rows.length, x: x.name, y: y.name }
    return jsonOf({ ...facts, ...relationOf(first, second, { rows, size, arrays }) }, { pretty })
  },
  transfer: (bytes) => [bytes.buffer],
}

function bounded(values: VariableValues, { name }: ReadableVariable, at: string): VariableValues {
  if (values.kind === 'numbers' || values.names.length <= MAX_VALUES) return values
  const message = `${name} has ${values.names.length} different values in these cases; name a field with at most ${MAX_VALUES}`
  throw new EngineError('bad_input', message, { at })
}

interface Cases {
  readonly rows: Uint32Array
  readonly size: number
  readonly arrays: ReleaseArrays
}

function relationOf(x: VariableValues, y: VariableValues, cases: Cases) {
  if (x.kind === 'numbers') {
    return y.kind === 'numbers' ? scatterOf(x.numbers, y.numbers, cases) : boxesOf(y, x, 'y')
  }
  return y.kind === 'numbers' ? boxesOf(x, y, 'x') : tableOf(x, y)
}

/** Returns at most `size` points, evenly chosen in the order of case ids, and correlations over all of them. */
function scatterOf(x: Float64Array, y: Float64Array, { rows, size, arrays }: Cases) {
  const known = Uint32Array.from(rows.keys()).filter(
    (place) => !Number.isNaN(x[place]!) && !Number.isNaN(y[place]!),
  )
  const [xs, ys] = [x, y].map((values) => Float64Array.from(known, (place) => values[place]!))
  const ids = arrays.column('cases', 'case_id')?.dictionary
  const shown = Math.min(size, known.length)
  const points = Array.from({ length: shown }, (_, i) => {
    const place = known[Math.floor((i * known.length) / shown)]!
    return { case_id: ids?.text(rows[place]! + 1) ?? '', x: x[place]!, y: y[place]! }
  })
  return { kind: 'scatter', known: known.length, points, ...correlationsOf(xs!, ys!) }
}

function correlationsOf(x: Float64Array, y: Float64Array) {
  if (x.length < 3) return { pearson: null, spearman: null }
  const [linear, ranked] = [pearson(x, y), spearman(x, y)]
  if (Number.isNaN(linear.coefficient)) return { pearson: null, spearman: null }
  const limit = (value: number) => (Number.isNaN(value) ? null : value)
  return {
    pearson: {
      coefficient: linear.coefficient,
      lower_95: limit(linear.lower),
      upper_95: limit(linear.upper),
      p_value: linear.pValue,
    },
    spearman: { coefficient: ranked.coefficient, p_value: ranked.pValue },
  }
}

type Categories = Extract<VariableValues, { readonly kind: 'categories' }>
type Numbers = Extract<VariableValues, { readonly kind: 'numbers' }>

/** Returns the five numbers of a box plot for each category, and the test of their difference. */
function boxesOf({ codes, names }: Categories, { numbers }: Numbers, by: 'x' | 'y') {
  const groups = names.map((_, i) =>
    numbers.filter((number, place) => codes[place] === i + 1 && !Number.isNaN(number)).sort(),
  )
  return {
    kind: 'boxes',
    known: groups.reduce((sum, { length }) => sum + length, 0),
    /** Variable of the categories. */
    categories: by,
    boxes: groups.map((sorted, i) => ({
      value: names[i]!,
      cases: sorted.length,
      least: sorted[0] ?? null,
      lower_quartile: quantileOf(sorted, 0.25),
      median: quantileOf(sorted, 0.5),
      upper_quartile: quantileOf(sorted, 0.75),
      most: sorted.at(-1) ?? null,
    })),
    test: testNumbers(groups, new ExactTails()),
  }
}

function tableOf(x: Categories, y: Categories) {
  const counts = x.names.map(() => y.names.map(() => 0))
  let known = 0
  for (const [place, code] of x.codes.entries()) {
    const other = y.codes[place]!
    if (code === 0 || other === 0) continue
    counts[code - 1]![other - 1]!++
    known++
  }
  return {
    kind: 'table',
    known,
    x_values: x.names,
    y_values: y.names,
    counts,
    test: testCategories(counts),
  }
}
