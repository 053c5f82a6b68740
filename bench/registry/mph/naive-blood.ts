import type { NaiveData } from './naive-data.ts'
import type { NaiveModule } from './naive-old.ts'
import {
  bothIn,
  type Codes,
  codes,
  cross,
  isAt,
  isIn,
  laterOf,
  multiple,
  when,
  withinDays,
} from './naive-rules.ts'
import { daysApart, type NaiveTumour, orderOf } from './naive-tumour.ts'

// The rules of blood and lymph (multiple-primaries.md 5).

/** In the order of date, and the other way round where dates are equal. */
function inOrders(a: NaiveTumour, b: NaiveTumour): (readonly [NaiveTumour, NaiveTumour])[] {
  const order = orderOf(a, b)
  if (order === 'EQUAL') return [[a, b], [b, a]] // biome-ignore format: two pairs
  return [order === 'first' ? [b, a] : [a, b]]
}

export function hematopoietic2000(data: NaiveData): NaiveModule {
  const isListed = ([first, second]: readonly [NaiveTumour, NaiveTumour]) =>
    data.ranges1998.some(
      ([low = '', high = '', sameLow = '', sameHigh = '']) =>
        low <= first.histology &&
        first.histology <= high &&
        sameLow <= second.histology &&
        second.histology <= sameHigh,
    )
  return {
    '': (a, b) => {
      if (a.histology === b.histology) return 'S'
      if (orderOf(a, b) === 'UNKNOWN') return '?'
      return inOrders(a, b).some(isListed) ? 'S' : 'M'
    },
  }
}

export function hematopoietic2001(data: NaiveData): NaiveModule {
  const groupOf = ({ histology }: NaiveTumour) =>
    data.groups2001.find(([, low = '', high = '']) => low <= histology && histology <= high)?.[0]
  return {
    '': (a, b) => {
      if (a.histology === b.histology) return 'S'
      if (groupOf(a) === undefined || groupOf(b) === undefined) return 'M'
      if (orderOf(a, b) === 'UNKNOWN') return '?'
      const isListed = inOrders(a, b).some(([first, second]) =>
        data.pairs2001.has(`${groupOf(first)},${groupOf(second)}`),
      )
      return isListed ? 'S' : 'M'
    },
  }
}

export function hematopoietic2010(data: NaiveData): NaiveModule {
  const { samePrimary, transformFrom, transformTo } = data
  const yearOf = ({ year = 0 }: NaiveTumour) => year
  const isAcute = (e: NaiveTumour, l: NaiveTumour) =>
    transformTo.matches(e.code, l.code, yearOf(e)) &&
    transformFrom.matches(l.code, e.code, yearOf(l))
  const isChronic = (e: NaiveTumour, l: NaiveTumour) =>
    transformFrom.matches(e.code, l.code, yearOf(e)) &&
    transformTo.matches(l.code, e.code, yearOf(l))
  const transforms = (a: NaiveTumour, b: NaiveTumour) => isAcute(a, b) || isChronic(a, b)
  const isPlace = (a: NaiveTumour, b: NaiveTumour) =>
    a.site === b.site || (a.part === b.part && a.part !== 'C77')
  const nodal = data.set('lymphoma_nos_and_non_hodgkin_lymphoma')
  const hodgkin = data.set('hodgkin_lymphoma')
  const sarcoma = data.set('mast_cell_sarcoma', 'myeloid_sarcoma')
  const sarcomas = ['mast_cell', 'myeloid'].map(
    (kind) => [data.set(`${kind}_sarcoma`), data.set(`${kind}_leukemia`)] as const,
  )
  const isSarcomaPair = (a: NaiveTumour, b: NaiveTumour) =>
    sarcomas.some(([solid, leukemia]) => cross(a, b, solid, leukemia))
  const otherLymphoma = data.set('non_hodgkin_lymphoma')
  const disorder = data.set('ptld')
  const myeloma = codes('9732/3')
  const plasmacytoma = codes('9731/3', '9734/3')
  const isClose = (a: NaiveTumour, b: NaiveTumour) =>
    transforms(a, b) && daysApart(a, b, 21) !== 'APART'
  const later: Codes = data.set('bcell', 'tcell', 'hodgkin_lymphoma', 'plasmacytoma')
  const agree = (one: number | undefined, other: number | undefined) =>
    one === undefined || other === undefined || one === other
  return {
    M2: when(
      (a, b) => a.histology === b.histology,
      (a, b) => {
        const areMalt = a.code === '9699/3' && b.code === '9699/3'
        return areMalt && isAt(a.site, 'C77') !== isAt(b.site, 'C77') ? '?' : 'S'
      },
    ),
    M3: when(
      (a, b) => a.behavior === '3' && b.behavior === '3' && isSarcomaPair(a, b),
      (a, b) => {
        const distance = daysApart(a, b, 21)
        if (orderOf(a, b) === 'UNKNOWN' && distance === 'UNKNOWN') return '~S'
        const last = laterOf(a, b)
        return distance === 'WITHIN' || (last && isIn(last, sarcoma)) ? 'S' : undefined
      },
    ),
    M4: when(
      (a, b) => a.histology !== b.histology && bothIn(a, b, nodal) && isPlace(a, b),
      withinDays(21),
    ),
    M5: when((a, b) => cross(a, b, hodgkin, nodal) && isPlace(a, b), withinDays(21)),
    M6: when((a, b) => cross(a, b, hodgkin, otherLymphoma) && !isPlace(a, b), multiple),
    M8: when(isClose, () => '?'),
    M9: when(isClose, () => '?'),
    M10: when(transforms, (a, b) => {
      if (cross(a, b, myeloma, plasmacytoma)) return '?'
      const order = orderOf(a, b)
      const distance = daysApart(a, b, 21)
      if (distance === 'UNKNOWN' || order === 'UNKNOWN') return '~M'
      if (distance !== 'APART') return undefined
      return (order === 'first' ? isAcute(b, a) : isAcute(a, b)) ? 'M' : undefined
    }),
    M11: when(isClose, () => '?'),
    M12: when(transforms, () => '?'),
    M13: when(transforms, () => '?'),
    M14: when(
      (a, b) =>
        cross(a, b, disorder, later) &&
        a.year === b.year &&
        agree(a.month, b.month) &&
        agree(a.day, b.day),
      () => '~S',
    ),
    M15: (a, b) => {
      if (a.code === b.code) return 'S'
      const [yearA, yearB] = [yearOf(a), yearOf(b)]
      const byA = samePrimary.matches(a.code, b.code, yearA)
      const byB = samePrimary.matches(b.code, a.code, yearB)
      if (yearA === yearB) return byA && byB ? 'S' : 'M'
      return (yearA > yearB ? byA : byB) ? 'S' : 'M'
    },
  }
}
