import type { MphOutcome } from '../../../engine/registry/multiple-primaries/result.ts'
import type { TumourPair } from '../../../engine/registry/multiple-primaries/tumour.ts'
import { hematopoietic2000, hematopoietic2001, hematopoietic2010 } from './naive-blood.ts'
import { NaiveData, type NaiveGroup } from './naive-data.ts'
import {
  breast2018,
  colon2018,
  headAndNeck2018,
  kidney2018,
  lung2018,
  malignantCns2018,
  melanoma2021,
  nonMalignantCns2018,
  otherSites2023,
  urinary2018,
} from './naive-new.ts'
import {
  benignBrain2006,
  benignBrain2007,
  breast2007,
  colon2007,
  headAndNeck2007,
  kidney2007,
  lung2007,
  malignantBrain2007,
  melanoma2007,
  type NaiveModule,
  otherSites2007,
  solid2006,
  urinary2007,
} from './naive-old.ts'
import type { Answer } from './naive-rules.ts'
import { isValid, type NaiveTumour, readTumour } from './naive-tumour.ts'

/** What a result says besides its sentences. */
export interface Judged {
  readonly result: MphOutcome
  readonly group_id?: string
  readonly step?: string
  readonly applied_rules: readonly { readonly step: string }[]
}

const MODULES: Readonly<Record<string, (data: NaiveData) => NaiveModule>> = {
  hemato_2000_and_earlier: hematopoietic2000,
  hemato_2001_to_2009: hematopoietic2001,
  hemato_2010_and_later: hematopoietic2010,
  '2006_and_earlier_benign_brain': benignBrain2006,
  '2006_and_earlier_solid_malignant': solid2006,
  mph_2007_to_2017_head_and_neck: headAndNeck2007,
  mph_2007_to_2017_colon: colon2007,
  mph_2007_to_2017_lung: lung2007,
  mph_2007_to_2017_melanoma: melanoma2007,
  mph_2007_to_2017_breast: breast2007,
  mph_2007_to_2017_kidney: kidney2007,
  mph_2007_to_2017_urinary: urinary2007,
  mph_2007_to_2017_benign_brain: benignBrain2007,
  mph_2007_to_2017_malignant_brain: malignantBrain2007,
  mph_2007_to_2022_other_sites: otherSites2007,
  str_2018_and_later_breast: breast2018,
  str_2018_and_later_colon: colon2018,
  str_2018_and_later_head_and_neck: headAndNeck2018,
  str_2018_and_later_kidney: kidney2018,
  str_2018_and_later_lung: lung2018,
  str_2018_and_later_malignant_cns: malignantCns2018,
  str_2018_and_later_non_malignant_cns: nonMalignantCns2018,
  str_2018_and_later_urinary: urinary2018,
  str_2021_and_later_cutaneous_melanoma: melanoma2021,
  str_2023_and_later_other_sites: otherSites2023,
}

const OUTCOMES = { S: 'SINGLE_PRIMARY', M: 'MULTIPLE_PRIMARIES', '?': 'QUESTIONABLE' } as const

/**
 * The rules of multiple-primaries.md done one by one over texts, sets and dates: the baseline of the bench,
 * and a second opinion for tests.
 */
export class NaiveRules {
  readonly #scopes: readonly Scope[]
  readonly #modules: ReadonlyMap<string, NaiveModule>
  readonly #yearNow: number

  constructor(yearNow: number, data = new NaiveData()) {
    this.#yearNow = yearNow
    // Other sites take what no other group takes.
    const isLast = ({ id }: NaiveGroup) => id.endsWith('_other_sites')
    const groups = [...data.groups.filter((one) => !isLast(one)), ...data.groups.filter(isLast)]
    this.#scopes = groups.map(scopeOf)
    this.#modules = new Map(Object.entries(MODULES).map(([id, make]) => [id, make(data)]))
  }

  compare({ input1, input2 }: TumourPair): Judged {
    const [a, b] = [readTumour(input1, this.#yearNow), readTumour(input2, this.#yearNow)]
    if (!isValid(a) || !isValid(b)) return { result: 'INVALID_INPUT', applied_rules: [] }
    const year = Math.max(a.year ?? 0, b.year ?? 0)
    const [group, other] = [this.#groupOf(a, year), this.#groupOf(b, year)]
    const result = outcomeWithoutRules(a, b, group, other)
    if (result !== undefined) return { result, applied_rules: [] }
    const { id: group_id, steps } = group!
    const { answer, step, applied } = decide(this.#modules.get(group_id)!, steps, a, b)
    const applied_rules = applied.map((one) => ({ step: one }))
    return { result: OUTCOMES[answer], group_id, step, applied_rules }
  }

  #groupOf(tumour: NaiveTumour, year: number): NaiveGroup | undefined {
    return this.#scopes.find((scope) => takes(scope, tumour, year))?.group
  }
}

type Bounds = readonly (readonly [low: number, high: number])[]

/** A group with its ranges as numbers. */
interface Scope {
  readonly group: NaiveGroup
  readonly sites: Bounds | undefined
  readonly histologies: Bounds | undefined
  readonly notHistologies: Bounds | undefined
  readonly behaviors: Bounds
  readonly years: Bounds
}

function scopeOf(group: NaiveGroup): Scope {
  return {
    group,
    sites: group.site_in === null ? undefined : boundsOf(group.site_in),
    histologies: group.hist_in === null ? undefined : boundsOf(group.hist_in),
    notHistologies: group.hist_ex === null ? undefined : boundsOf(group.hist_ex),
    behaviors: boundsOf(group.behavior_in),
    years: boundsOf(group.year_in),
  }
}

/** `C180-C189, C199`, `2-3,6` */
function boundsOf(text: string): Bounds {
  return text.split(',').map((range) => {
    const [low, high = low] = range.trim().replaceAll('C', '').split('-').map(Number)
    return [low!, high!]
  })
}

const isWithin = (number: number, bounds: Bounds) =>
  bounds.some(([low, high]) => number >= low && number <= high)

function takes(scope: Scope, { site, histology, behavior }: NaiveTumour, year: number): boolean {
  const { sites, histologies, notHistologies, behaviors, years } = scope
  const number = Number(histology)
  const isParaganglioma =
    scope.group.id === 'str_2018_and_later_head_and_neck' &&
    (site === 'C754' || site === 'C755') &&
    (number === 8680 || (number >= 8690 && number <= 8693)) &&
    behavior === '3' &&
    year >= 2019
  if (isParaganglioma) return true
  return (
    isWithin(year, years) &&
    isWithin(Number(behavior), behaviors) &&
    (sites === undefined || isWithin(Number(site.slice(1)), sites)) &&
    (histologies === undefined || isWithin(number, histologies)) &&
    (notHistologies === undefined || !isWithin(number, notHistologies))
  )
}

const SIDES = '0123459'

function outcomeWithoutRules(
  a: NaiveTumour,
  b: NaiveTumour,
  group: NaiveGroup | undefined,
  other: NaiveGroup | undefined,
): MphOutcome | undefined {
  if (!group && !other) {
    const isKnown = a.day !== undefined && a.side.length === 1 && SIDES.includes(a.side)
    const isSame = JSON.stringify(a) === JSON.stringify(b)
    return isKnown && isSame ? 'SINGLE_PRIMARY' : 'QUESTIONABLE'
  }
  if (!group || !other) return 'QUESTIONABLE'
  return group.id !== other.id ? 'MULTIPLE_PRIMARIES' : undefined
}

interface Decision {
  readonly answer: 'S' | 'M' | '?'
  readonly step: string
  readonly applied: readonly string[]
}

/** The rule engine of multiple-primaries.md 4. */
function decide(
  module: NaiveModule,
  steps: readonly string[],
  a: NaiveTumour,
  b: NaiveTumour,
): Decision {
  let potential: Answer
  const applied: string[] = []
  const later: string[] = []
  const questionable = (): Decision => ({ answer: '?', step: applied.at(-1) ?? '', applied })
  for (const step of steps) {
    if (potential === undefined) applied.push(step)
    else later.push(step)
    const answer = module[step]?.(a, b)
    if (answer === undefined) continue
    if (answer === '~S' || answer === '~M') {
      if (potential !== undefined && potential !== answer) return questionable()
      potential = answer
    } else {
      if (potential !== undefined && potential !== `~${answer}`) return questionable()
      return { answer, step, applied: [...applied, ...later] }
    }
  }
  throw new Error('the last rule did not decide')
}
