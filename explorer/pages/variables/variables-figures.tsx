import { useMemo } from 'preact/hooks'
import { formatAddress, onPage, toCohort } from '../../address/address.ts'
import { usePlace } from '../../address/context.ts'
import { inScaleOrder } from '../../facets/value-order.ts'
import { bothOf, type Filter } from '../../filter/filter.ts'
import { counted } from '../../parts/counted.ts'
import { Figure } from '../../parts/figure.tsx'
import { Link } from '../../parts/link.tsx'
import { type PartRow, partsChart } from '../../parts/parts-chart.ts'
import type { Column } from '../../parts/table.tsx'
import type { ServiceRequest } from '../../service/service.ts'
import { inUnit, titleOf, valueFilter, valueText } from './case-variable.ts'
import type { AskedVariable, Of } from './variables-answer.ts'
import { type BoxRow, boxesChart, type Spot, scatterChart } from './variables-charts.ts'

/** A part with its values as the service has them. */
interface KeyedPart extends PartRow {
  readonly key: string
  readonly partKey: string
}

interface FigureProps<Kind extends 'scatter' | 'boxes' | 'table'> {
  readonly x: AskedVariable
  readonly y: AskedVariable
  readonly answers: readonly Of<Kind>[]
  readonly requests: readonly ServiceRequest[]
}

/** Number of parts of bars that a browser draws at once. */
const MAX_MARKS = 3000

const ONE_VALUE = 'Only cases with one value of both variables count.'
const DOOR =
  'A mark opens its cases, and with them those that have another value besides, for example of a second diagnosis.'

const namesOf = (answers: readonly { readonly group: { readonly name: string } }[]) =>
  answers.map(({ group }) => group.name)

/** Shows two numbers as a dot for each case. */
export function ScatterFigure({ x, y, answers, requests }: FigureProps<'scatter'>) {
  const { address } = usePlace()
  const titles = [titleOf(x.variable), titleOf(y.variable)] as const
  const spots = useMemo(
    () =>
      answers.flatMap(({ group, answer }) =>
        answer.points.map(
          (point): Spot => ({
            caseId: point.case_id,
            group: group.name,
            x: inUnit(x.variable, point.x),
            y: inUnit(y.variable, point.y),
          }),
        ),
      ),
    answers.map(({ answer }) => answer),
  )
  const groups = namesOf(answers)
  const known = answers.reduce((sum, { answer }) => sum + answer.known, 0)
  const placeOf = ({ caseId }: Spot) => onPage(address, 'case', { id: caseId })
  const columns: readonly Column<Spot>[] = [
    {
      title: 'Case',
      value: ({ caseId }) => caseId,
      show: (spot) => <Link to={placeOf(spot)}>{spot.caseId}</Link>,
    },
    { title: 'Group', value: ({ group }) => group },
    { title: titles[0], value: (spot) => spot.x },
    { title: titles[1], value: (spot) => spot.y },
  ]
  return (
    <Figure
      title={`${titles[1]} by ${titles[0]}`}
      method={`${spots.length.toLocaleString('en')} of ${counted(known, 'case')} as dots, chosen evenly, each of which opens its case. The correlations are over all of them. ${ONE_VALUE}`}
      requests={requests}
      columns={columns}
      rows={spots}
      fileName="two-variables"
      drawnOf={spots}
      draw={(width) =>
        scatterChart({
          width,
          spots,
          groups,
          titles,
          hrefOf: (spot) => formatAddress(placeOf(spot)),
        })
      }
    />
  )
}

/** Shows a number by categories as boxes. */
export function BoxesFigure({ x, y, answers, requests }: FigureProps<'boxes'>) {
  const isByX = answers[0]?.answer.categories === 'x'
  const [category, number] = isByX ? [x, y] : [y, x]
  const rows = useMemo(() => {
    const all = answers.flatMap(({ group, answer }) =>
      answer.boxes.flatMap((box) => {
        const { value, cases, least, lower_quartile: low, upper_quartile: high } = box
        const { median, most } = box
        const ends = [least, low, median, high, most].filter((one) => one !== null)
        const [from, first, middle, third, to] = ends.map((one) => inUnit(number.variable, one))
        if (from === undefined || first === undefined || middle === undefined) return []
        if (third === undefined || to === undefined) return []
        const numbers = { least: from, low: first, median: middle, high: third, most: to }
        const text = valueText(category.variable, value)
        return [{ group: group.name, key: value, value: text, cases, ...numbers }]
      }),
    )
    return inScaleOrder(all.toSorted(byValue), ({ value }) => value)
  }, [isByX, ...answers.map(({ answer }) => answer)])
  const groups = namesOf(answers)
  const within = new Map(answers.map(({ group }) => [group.name, group.filter]))
  const cohortPlace = useCohortPlace()
  const placeOf = (row: BoxRow) => cohortPlace(row, within, [{ ...category, value: row.key }])
  const title = `${titleOf(number.variable)} by ${titleOf(category.variable)}`
  const columns: readonly Column<BoxRow>[] = [
    { title: titleOf(category.variable), value: ({ value }) => value },
    { title: 'Group', value: ({ group }) => group },
    {
      title: 'Cases',
      value: ({ cases }) => cases,
      show: (row) => <Link to={placeOf(row)}>{row.cases.toLocaleString('en')}</Link>,
    },
    { title: 'Least', value: ({ least }) => least },
    { title: 'First quartile', value: ({ low }) => low },
    { title: 'Median', value: ({ median }) => median },
    { title: 'Third quartile', value: ({ high }) => high },
    { title: 'Most', value: ({ most }) => most },
  ]
  return (
    <Figure
      title={title}
      method={`A box is from the first to the third quartile with the median, its whiskers reach the least and the most. ${ONE_VALUE} ${DOOR}`}
      requests={requests}
      columns={columns}
      rows={rows}
      fileName="two-variables"
      drawnOf={rows}
      draw={(width) =>
        boxesChart({
          width,
          rows,
          groups,
          title: titleOf(number.variable),
          hrefOf: (row) => formatAddress(placeOf(row)),
        })
      }
    />
  )
}

/** Shows two variables of categories as stacked bars. */
export function PartsFigure({ x, y, answers, requests }: FigureProps<'table'>) {
  const rows = useMemo(
    () => partRows(answers, x, y),
    answers.map(({ answer }) => answer),
  )
  const groups = namesOf(answers)
  const within = new Map(answers.map(({ group }) => [group.name, group.filter]))
  const cohortPlace = useCohortPlace()
  const placeOf = (row: KeyedPart) =>
    cohortPlace(row, within, [
      { ...x, value: row.key },
      { ...y, value: row.partKey },
    ])
  const columns: readonly Column<KeyedPart>[] = [
    { title: titleOf(x.variable), value: ({ value }) => value },
    { title: titleOf(y.variable), value: ({ part }) => part },
    { title: 'Group', value: ({ group }) => group },
    {
      title: 'Cases',
      value: ({ cases }) => cases,
      show: (row) => <Link to={placeOf(row)}>{row.cases.toLocaleString('en')}</Link>,
    },
    { title: 'Of', value: (row) => row.of },
    { title: 'Share', value: ({ cases, of }) => cases / of },
  ]
  const parts = [...new Set(rows.map(({ part }) => part))]
  const values = [...new Set(rows.map(({ key }) => key))]
  const room = Math.max(5, Math.floor(MAX_MARKS / (groups.length * parts.length)))
  const drawn = new Set(values.slice(0, room))
  const some =
    drawn.size < values.length ? ` The first ${room} of ${values.length} values are drawn.` : ''
  return (
    <Figure
      title={`${titleOf(y.variable)} by ${titleOf(x.variable)}`}
      method={`Of the cases with each value of the first variable, the parts with the values of the second. ${ONE_VALUE} ${DOOR}${some}`}
      requests={requests}
      columns={columns}
      rows={rows}
      fileName="two-variables"
      drawnOf={rows}
      draw={(width) =>
        partsChart({
          width,
          rows: rows.filter(({ cases, key }) => cases > 0 && drawn.has(key)),
          groups,
          parts,
          title: titleOf(y.variable),
          hrefOf: (row) => formatAddress(placeOf(row)),
        })
      }
    />
  )
}

/** Compares values by letters, since a value may be that of a later group alone. */
const byValue = (one: { readonly value: string }, other: { readonly value: string }) =>
  one.value < other.value ? -1 : Number(one.value > other.value)

function partRows(
  answers: readonly Of<'table'>[],
  x: AskedVariable,
  y: AskedVariable,
): readonly KeyedPart[] {
  const rows = answers.flatMap(({ group, answer }) => {
    const places = [...answer.y_values.entries()]
    const ordered = inScaleOrder(places, ([, value]) => value)
    return answer.x_values.flatMap((value, row) => {
      const counts = answer.counts[row] ?? []
      const of = counts.reduce((sum, cases) => sum + cases, 0)
      let sum = 0
      return of === 0
        ? []
        : ordered.map(([place, part]): KeyedPart => {
            const cases = counts[place] ?? 0
            const start = sum / of
            sum += cases
            return {
              ...{ group: group.name, key: value, partKey: part, cases, of, start, end: sum / of },
              ...{ value: valueText(x.variable, value), part: valueText(y.variable, part) },
            }
          })
    })
  })
  return inScaleOrder(rows.toSorted(byValue), ({ value }) => value)
}

/** Returns a function for the address of the cases of a group that have some values of variables. */
function useCohortPlace() {
  const { address } = usePlace()
  return (
    { group }: { readonly group: string },
    within: ReadonlyMap<string, Filter | undefined>,
    values: readonly (AskedVariable & { readonly value: string })[],
  ) => {
    const parts = values.map((one) => valueFilter(one.variable, one))
    const words = values.map(({ variable, value }) => {
      const text = valueText(variable, value)
      return 'gene' in variable ? `${variable.gene} ${text}` : text
    })
    const name = `${group}, ${words.join(', ')}`
    return toCohort(address, 'cohort', { name, filter: bothOf(within.get(group), ...parts) })
  }
}
