import type { Random } from '../../../fixtures/random.ts'
import { BREAST, HODGKIN, LUNG, on } from './made-tumours.ts'
import { type Mutation, mutated } from './mutated-json.ts'

// Bodies that somebody may post in place of tumours, some valid, some invalid, some not JSON.

const TUMOURS = [
  ...[BREAST, LUNG, HODGKIN, { ...BREAST, behavior_icd_o3: '2', ...on('2020', '04', '20') }],
  { ...LUNG, laterality: '4', ...on('2024', '2', '30') },
  { ...HODGKIN, histology_icd_o2: '9661', behavior_icd_o2: '3', ...on('1999', '', '') },
  { ...BREAST, primary_site: 'C710', histology_icd_o3: '9440', ...on('2021', '12', '31') },
  { ...BREAST, primary_site: 'C443', histology_icd_o3: '8720', ...on('2021', '01', '01') },
  { ...BREAST, primary_site: 'C187', histology_icd_o3: '8140', ...on('2008', '06', '01') },
  { ...BREAST, primary_site: 'C619', histology_icd_o3: '8140', ...on('2023', '06', '01') },
]

const TEXTS = [
  ...['', ' ', '0', '1', '2', '3', '4', '5', '6', '9', '02', '13', '29', '31', '99', '-1', '3.0'],
  ...['1999', '2000', '2001', '2006', '2007', '2018', '2022', '2023', '2026', '2027', '9999'],
  ...['C000', 'C349', 'C421', 'C509', 'C649', 'C700', 'C809', 'C999', 'c509', 'C50', 'C5099'],
  ...['8000', '8010', '8500', '9140', '9590', '9732', '9993', '7999', '10000', '08500', '8500/3'],
  ...['__proto__', 'constructor', 'input1', '\u0000', '\ud800', '٣', 'é'.repeat(300)],
]
const OTHERS = [null, true, 0, 8500, 1e308, [], {}, ['C509'], [[]], { primary_site: 'C509' }]

function oddValue(random: Random): unknown {
  const values: readonly unknown[] = random.chance(0.85) ? TEXTS : OTHERS
  return values[random.below(values.length)]
}

const HOW: readonly Mutation['how'][] = [
  'replace',
  'replace',
  'replace',
  'drop',
  'rename',
  'double',
]

function oddity(random: Random): Mutation {
  const how = HOW[random.below(HOW.length)] ?? 'replace'
  return { place: random.unit(), how, value: oddValue(random) }
}

function tumour(random: Random): unknown {
  return TUMOURS[random.below(TUMOURS.length)]
}

function oddText(random: Random, whole: unknown): string {
  const changes = Array.from({ length: random.below(4) }, () => oddity(random))
  const text = JSON.stringify(mutated(whole, changes)) ?? ''
  if (random.chance(0.95)) return text
  const at = random.below(text.length + 1)
  return text.slice(0, at) + (random.chance(0.5) ? '' : `${oddValue(random)}${text.slice(at)}`)
}

/** A line with a pair of tumours, or something similar. */
export function oddPair(random: Random): string {
  const input1 = tumour(random)
  return oddText(random, { input1, input2: random.chance(0.5) ? input1 : tumour(random) })
}

/** Up to six tumours of a patient, or something similar. */
export function oddPatient(random: Random): string {
  const tumours = Array.from({ length: random.below(7) }, () => tumour(random))
  return oddText(random, { tumours })
}
