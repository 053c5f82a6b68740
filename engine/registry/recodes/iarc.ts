import { type CodeSet, codeSet } from './code-set.ts'
import { inOrder, readSequence } from './order-of-tumors.ts'
import { readPartialDate } from './partial-date.ts'
import type { PatientTexts, Texts } from './recode.ts'

// Multiple primaries by the international rules of 2004 (registry-lookups.md 4.3).

const DUPLICATE = '0'
const PRIMARY = '1'
const IN_SITU = '9'

/** Sites that count as one group, by their first three characters. Every other site is a group of its own. */
const SITES: readonly string[] = Object.freeze([
  'C01 C02',
  'C00 C03 C04 C05 C06',
  'C09 C10 C12 C13 C14',
  'C19 C20',
  'C23 C24',
  'C33 C34',
  'C40 C41',
  'C65 C66 C67 C68',
])

const UNSPECIFIED_CARCINOMA = 5
const UNSPECIFIED_BLOOD = 14
const KAPOSI = 15
const UNSPECIFIED = 17
const BLOOD = Object.freeze([8, 9, 10, 11, 12, 13, UNSPECIFIED_BLOOD])

/** Histology groups, numbered from 1. */
const HISTOLOGIES: readonly CodeSet[] = [
  '8051-8084 8120-8131',
  '8090-8110',
  '8140-8149 8160-8162 8190-8221 8260-8337 8350-8551 8570-8576 8940-8941',
  '8030-8046 8150-8157 8170-8180 8230-8255 8340-8347 8560-8562 8580-8671',
  '8010-8015 8020-8022 8050',
  `8680-8713 8800-8921 8990-8991 9040-9044 9120-9125 9130-9136 9141-9252 9370-9373 9540-9582`,
  '9050-9055',
  '9840 9861-9931 9945-9946 9950 9961-9964 9980-9987 9991-9992',
  `9597 9670-9699 9712 9728 9731-9738 9761-9767 9769 9811-9818 9823-9826 9833 9836 9940`,
  '9700-9726 9729 9768 9827-9831 9834 9837 9948',
  '9650-9667',
  '9740-9742',
  '9750-9759',
  '9590-9591 9596 9727 9760 9800-9809 9820 9832 9835 9860 9960 9965-9975 9989',
  '9140',
  '8720-8790 8930-8936 8950-8983 9000-9030 9060-9110 9260-9365 9380-9539',
  '8000-8005',
].map(codeSet)

/** For unspecified groups, the groups to which their tumors may really belong. */
const SPECIFIC: Readonly<Record<number, readonly number[]>> = Object.freeze({
  [UNSPECIFIED_CARCINOMA]: [1, 2, 3, 4],
  [UNSPECIFIED_BLOOD]: [8, 9, 10, 11, 12, 13],
  [UNSPECIFIED]: [1, 2, 3, 4, 5, 6, 7, KAPOSI, 16],
})

const HISTOLOGY = /^\d{4}$/

interface IarcCodes {
  readonly site: string | undefined
  /** Whether the tumor is not malignant. A bladder tumor always counts as malignant. */
  readonly isInSitu: boolean
  isDuplicate: boolean
  /** The most specific histology among the tumor and its duplicates. */
  hist: string
  /** Histology group (HISTOLOGIES) of `hist`. */
  group: number | undefined
}

/** Decides which of a patient's tumors are primaries, for international comparisons. */
export function iarcPrimaries(_: Texts, tumors: readonly Texts[]): PatientTexts {
  const coded = tumors.map(codesOf)
  const dated = tumors.map(({ date_of_diagnosis, sequence }, i) => ({
    date: readPartialDate(date_of_diagnosis),
    sequence: readSequence(sequence),
    i,
  }))
  const invasive = inOrder(dated)
    .flatMap(({ i }) => coded[i] ?? [])
    .filter(({ isInSitu }) => !isInSitu)
  for (const [i, primary] of invasive.entries()) {
    if (primary.isDuplicate) continue
    for (const later of invasive.slice(i + 1)) {
      if (!isSame(primary, later)) continue
      later.isDuplicate = true
      if (isMoreSpecific(later, primary)) {
        primary.hist = later.hist
        primary.group = later.group
      }
    }
  }
  return { patient: {}, tumors: coded.map(answerOf) }
}

function codesOf({ site = '', hist = '', behavior }: Texts): IarcCodes {
  const isBladder = site.toUpperCase().startsWith('C67')
  return {
    site: siteGroup(site),
    isInSitu: behavior !== '3' && !isBladder,
    isDuplicate: false,
    hist,
    group: histGroup(hist),
  }
}

function answerOf({ isInSitu, isDuplicate, hist }: IarcCodes): Texts {
  if (isInSitu) return { primary: IN_SITU }
  if (isDuplicate) return { primary: DUPLICATE }
  return { primary: PRIMARY, ...(hist !== '' && { primary_hist: hist }) }
}

function siteGroup(site: string): string | undefined {
  if (site.length < 3) return undefined
  const three = site.slice(0, 3).toUpperCase()
  return SITES.find((group) => group.split(' ').includes(three)) ?? three
}

function histGroup(hist: string): number | undefined {
  const place = HISTOLOGY.test(hist) ? HISTOLOGIES.findIndex((group) => group(hist)) : -1
  return place < 0 ? undefined : place + 1
}

const mayBe = (one: number, other: number) => SPECIFIC[one]?.includes(other) ?? false

function isSame(a: IarcCodes, b: IarcCodes): boolean {
  if (a.group === undefined || b.group === undefined) return false
  if (a.site === undefined || b.site === undefined) return false
  const isOneGroup = a.group === b.group
  const isEither = isOneGroup || mayBe(a.group, b.group) || mayBe(b.group, a.group)
  // These diseases affect the whole body, so the site does not matter.
  const isOfBody = (isOneGroup && a.group === KAPOSI) || [a, b].every(isOfBlood)
  return isEither && (isOfBody || a.site === b.site)
}

const isOfBlood = ({ group }: IarcCodes) => group !== undefined && BLOOD.includes(group)

function isMoreSpecific(later: IarcCodes, primary: IarcCodes): boolean {
  if (later.group === undefined || primary.group === undefined) return false
  if (later.group === primary.group) return later.hist > primary.hist
  return mayBe(primary.group, later.group)
}
