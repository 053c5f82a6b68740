import { expandCodes, words } from './codes.ts'
import {
  SAME_PRIMARY_2010,
  TRANSFORM_FROM_2010,
  TRANSFORM_TO_2010,
} from './data/hematopoietic-2010.ts'
import { GROUP_PAIRS_2001, GROUPS_2001, PAIRS_1998 } from './data/hematopoietic-until-2009.ts'
import type {
  GroupPair,
  HematopoieticData,
  HistologyGroup,
  HistologyRangePair,
  MorphologyPair,
} from './hematopoietic-data.ts'

/** Parses the tables shipped with the program. The result is not cached. */
export function shippedHematopoietic(): HematopoieticData {
  return {
    rangePairs1998: rangePairs(PAIRS_1998),
    groups2001: groups(GROUPS_2001),
    groupPairs2001: groupPairs(GROUP_PAIRS_2001),
    samePrimary2010: morphologyPairs(SAME_PRIMARY_2010),
    transformFrom2010: morphologyPairs(TRANSFORM_FROM_2010),
    transformTo2010: morphologyPairs(TRANSFORM_TO_2010),
  }
}

/** Splits a text into lines. An indented line continues the line before it. */
function linesOf(text: string): string[] {
  return text.trim().replaceAll(/\n +/g, ' ').split('\n')
}

function bounds(range: string): { readonly low: string; readonly high: string } {
  const [low = '', high = low] = range.split('-')
  return { low, high }
}

function rangePairs(text: string): HistologyRangePair[] {
  let group = ''
  return linesOf(text).flatMap((line) => {
    const [range = '', same] = line.split(/(?<=^[\d-]+): /)
    if (same === undefined) {
      group = line
      return []
    }
    const named = group
    return words(same).map((second) => {
      const { low: sameLow, high: sameHigh } = bounds(second)
      return { ...bounds(range), sameLow, sameHigh, group: named }
    })
  })
}

function groups(text: string): HistologyGroup[] {
  return linesOf(text).map((line) => {
    const [number = '', range = '', ...name] = line.split(' ')
    return { number: Number(number), ...bounds(range), name: name.join(' ') }
  })
}

function groupPairs(text: string): GroupPair[] {
  return linesOf(text).flatMap((line) => {
    const [first = '', second = ''] = line.split(': ')
    return expandCodes(second).map((number): GroupPair => [Number(first), Number(number)])
  })
}

function morphologyPairs(text: string): MorphologyPair[] {
  return linesOf(text).flatMap((line) => {
    const [head = '', ...parts] = line.split(/: \[| \[/)
    const [morphology = '', valid = ''] = head.split(' ')
    return parts.flatMap((part) => {
      const [years = '', codes = ''] = part.split(']')
      return expandCodes(codes).map((code) => ({
        morphology,
        ...yearsOf(valid, 'validStart', 'validEnd'),
        ...yearsOf(years, 'start', 'end'),
        other: `${code}/3`,
      }))
    })
  })
}

/** Parses years such as `2001-2009`. Either year may be missing. */
function yearsOf<S extends string, E extends string>(years: string, start: S, end: E) {
  const [from = '', to = ''] = years.split('-')
  return {
    ...(from === '' ? {} : { [start]: Number(from) }),
    ...(to === '' ? {} : { [end]: Number(to) }),
  } as { readonly [K in S | E]?: number }
}
