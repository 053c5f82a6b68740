import { type Random, randomFrom } from '../../../../fixtures/random.ts'
import { expandCodes } from '../codes.ts'
import { BENIGN_BRAIN_2004, BENIGN_BRAIN_2007 } from '../data/brain-charts.ts'
import { HEAD_AND_NECK_TABLES } from '../data/head-and-neck-tables.ts'
import { HISTOLOGIES } from '../data/histologies.ts'
import { OTHER_SITES_TABLES } from '../data/other-sites-tables.ts'
import { TABLES } from '../data/tables.ts'
import { GROUPS, type Group } from '../groups.ts'
import { parseTable } from '../table-text.ts'
import type { Tumour, TumourPair } from '../tumour.ts'

// Pairs of tumours that are hard to decide: in one group, often of the same site, in rows of one table, about 21
// or 60 days or some years apart, with missing sides and parts of dates.

const TABLE_TEXTS = [
  ...Object.values(TABLES),
  ...Object.values(HEAD_AND_NECK_TABLES).map(({ table }) => table),
  ...Object.values(OTHER_SITES_TABLES).map(({ table }) => table),
]

/** Lists of codes of which two are likely to meet in a rule. */
const LISTS: readonly (readonly string[])[] = [
  ...Object.values(HISTOLOGIES).map((list) => expandCodes(list)),
  expandCodes(Object.values(BENIGN_BRAIN_2004).join(' ')),
  expandCodes(Object.values(BENIGN_BRAIN_2007).join(' ')),
  ...TABLE_TEXTS.map((text) => [...parseTable(text).rows.keys()]),
  // Codes that only single rules use.
  expandCodes('8000 8010 8070 8140 8312 8720 8800 8311 8441 8460 8461 9413/0 9509/0 9509/1'),
  expandCodes('8500/2 8500/3 8522/2 8522/3 8543/2 8543/3 8523/2 8523/3 8541/3 8120/2 8131/3'),
  expandCodes('9650-9993'),
]

const SIDES = ['1', '1', '1', '2', '2', '2', '0', '3', '4', '5', '9', '', ' ', 'x']

/** Draws pairs of tumours within the ranges of a group, so that many pairs are judged by its rules. */
export function randomPairs(group: Group, seed: number): () => TumourPair {
  const random = randomFrom(seed, GROUPS.indexOf(group))
  const sites = sitesOf(group)
  const behaviors = expandCodes(group.behaviors.replaceAll(',', ' ')).filter((one) => one !== '4')
  const [first = 0, last = 0] = group.years.split('-').map(Number)
  const lists = LISTS.map((list) => list.filter((code) => isFor(group, code))).filter(
    (list) => list.length > 0,
  )

  const morphology = (
    list: readonly string[],
  ): Pick<Tumour, 'histology_icd_o3' | 'behavior_icd_o3'> => {
    const [histology, behavior] = pick(random, list).split('/')
    return {
      histology_icd_o3: histology ?? '',
      behavior_icd_o3: behavior ?? pick(random, behaviors),
    }
  }

  return () => {
    const list = pick(random, lists)
    const other = random.chance(0.7) ? list : pick(random, lists)
    const site = pick(random, sites)
    const near = sites.filter((one) => one.slice(0, 3) === site.slice(0, 3))
    const date = randomDate(random, Math.max(first, 1990), Math.min(last, 2026))
    const input1 = { primary_site: site, ...morphology(list), ...sided(random), ...date.given() }
    const second = {
      primary_site: pick(random, random.chance(0.8) ? near : sites),
      ...morphology(other),
    }
    const isSame = random.chance(0.2)
    const { histology_icd_o3, behavior_icd_o3, primary_site } = input1
    const input2 = {
      ...second,
      ...(isSame ? { histology_icd_o3 } : {}),
      ...(isSame && random.chance(0.5) ? { behavior_icd_o3 } : {}),
      ...(random.chance(0.5) ? { primary_site } : {}),
      ...sided(random),
      ...date.near(),
    }
    return random.chance(0.5) ? { input1, input2 } : { input1: input2, input2: input1 }
  }
}

function pick<T>(random: Random, list: readonly T[]): T {
  const one = list[random.below(list.length)]
  if (one === undefined) throw new Error('nothing to pick from')
  return one
}

function sitesOf({ sites, also }: Group): readonly string[] {
  const own =
    sites === undefined
      ? 'C150-C159 C160-C169 C210-C218 C379 C400-C499 C529-C579 C619 C620 C690 C739 C740 C754 C180 C199 C170-C179 C500 C760'
      : `${sites}, ${also?.sites ?? ''}`
  const listed = expandCodes(own.replaceAll(',', ' ')).filter((site) => site !== 'C809')
  // Hundreds of sites of blood and lymph would hardly ever meet.
  return listed.length > 300 ? expandCodes('C770-C779 C421 C420 C449 C001') : listed
}

function isFor({ histologies, notHistologies, behaviors }: Group, code: string): boolean {
  const [histology = '', behavior] = code.split('/')
  const within = (ranges: string) =>
    ranges.split(',').some((range) => {
      const [low = '', high = low] = range.trim().split('-')
      return low <= histology && histology <= high
    })
  return (
    (histologies === undefined || within(histologies)) &&
    (notHistologies === undefined || !within(notHistologies)) &&
    (behavior === undefined || expandCodes(behaviors.replaceAll(',', ' ')).includes(behavior))
  )
}

function sided(random: Random): Pick<Tumour, 'laterality'> {
  return random.chance(0.95) ? { laterality: pick(random, SIDES) } : {}
}

const DAY = 86_400_000
const DISTANCES = [0, 1, 20, 21, 22, 30, 59, 60, 61, 62, 90, 364, 365, 366, 1095, 1096, 1826, 1827]

/** Draws a day at a distance from another that matters to the rules. Parts of it may be missing. */
function randomDate(random: Random, first: number, last: number) {
  const year = first + random.below(last - first + 1)
  const day = Date.UTC(year, random.below(12), 1 + random.below(31))
  const given = (time: number) => {
    const [years = '', months = '', days = ''] = new Date(time)
      .toISOString()
      .slice(0, 10)
      .split('-')
    return {
      date_of_diagnosis_year: years,
      ...(random.chance(0.9) ? { date_of_diagnosis_month: months } : {}),
      ...(random.chance(0.85) ? { date_of_diagnosis_day: days } : {}),
    }
  }
  const near = () => {
    const days = random.chance(0.8) ? pick(random, DISTANCES) : random.below(4000)
    return given(day + (random.chance(0.5) ? days : -days) * DAY)
  }
  return { given: () => given(day), near }
}
