import { type CodeSet, codeSet } from './code-set.ts'
import { CAUSES_2008 } from './data/causes-2008.ts'
import { CAUSES_2023 } from './data/causes-2023.ts'
import { SEER_2008 } from './data/seer-2008.ts'
import { SEER_2023 } from './data/seer-2023.ts'
import { SITE_AND_HIST, WITH_YEAR } from './editions.ts'
import type { Texts } from './recode.ts'
import { compileTable, type TableColumn } from './table.ts'

// Whether a death was caused by the cancer (registry-lookups.md 4.4).

const NOT_COUNTED = answer('9', '9')
const ALIVE = answer('0', '0')
const UNKNOWN_CAUSE = answer('8', '8')
const OF_CANCER = answer('1', '0')
const OF_OTHER_CAUSE = answer('0', '1')

function answer(cause_specific: string, cause_other: string): Texts {
  return Object.freeze({ cause_specific, cause_other })
}

/** Matches a sequence number with one digit, or with two as in the standard. */
const SEQUENCE = /^[0-5]?\d$/
const YEAR = /^\d{4}$/
const UNKNOWN_CAUSES: readonly string[] = Object.freeze(['7777', '7797'])
const UNKNOWN_YEAR = 9999

/** Causes of death by their first three characters, or in full. */
interface Causes {
  readonly byThree: CodeSet
  readonly whole: CodeSet
}

const causes = (byThree: string, whole = ''): Causes => ({
  byThree: codeSet(byThree),
  whole: codeSet(whole),
})
const isOf = ({ byThree, whole }: Causes, cause: string) =>
  byThree(cause.slice(0, 3)) || whole(cause)

/** Causes of death that count for any site, keyed by ICD revision and kind of sequence. */
const ANY_SITE: Readonly<Record<string, Causes>> = Object.freeze({
  '8 0': causes('140-239'),
  '9 0': causes('140-239', '0422'),
  '1 0': causes('B21 C00-D47', 'D48-D489'),
  '8 1': causes('199'),
  '9 1': causes('199'),
  '1 1': causes('C80 C97', 'C798 D489'),
})
/** Additional causes of death for melanomas. */
const MELANOMA: Readonly<Record<string, Causes>> = Object.freeze({
  '8 1': causes('172', '2169 2322'),
  '9 1': causes('172 216 232'),
  '1 1': causes('C43 D03 D22'),
})
const MELANOMAS = codeSet('8720-8799')
/** ICD-10 causes for marrow diseases and miscellaneous groups, if the tumor is one of several. */
const MARROW = causes('C77 C81-C96 D36 D45-D47')
const MARROWS = codeSet('9950 9960-9964 9980-9989')
const MISCELLANEOUS = causes('C00-D47', 'D48-D489 D619')
const MISCELLANEOUS_GROUP = '37000'

interface Edition {
  /** The site recode by whose groups the causes are listed. */
  readonly groups: string
  readonly columns: readonly TableColumn[]
  readonly causes: string
  /** Whether marrow diseases and miscellaneous groups have causes besides the table. */
  readonly hasOthers: boolean
}

const EDITION_2008: Edition = Object.freeze({
  groups: SEER_2008,
  columns: SITE_AND_HIST,
  causes: CAUSES_2008,
  hasOthers: true,
})
const EDITION_2023: Edition = Object.freeze({
  groups: SEER_2023,
  columns: WITH_YEAR,
  causes: CAUSES_2023,
  hasOthers: false,
})

/** Creates the recode that decides whether a death was caused by the cancer or by another disease. */
export const makeCauseOfDeath2008 = () => causeOfDeathBy(EDITION_2008)
export const makeCauseOfDeath2023 = () => causeOfDeathBy(EDITION_2023)

function causeOfDeathBy(edition: Edition): (input: Texts) => Texts {
  const { groups, columns, hasOthers } = edition
  const ofGroups = readCauses(edition.causes)
  const groupOf = compileTable({ rows: groups, columns, compare: 'numbers' }, ({ code }) => code)
  return (input) => {
    const { sequence = '', icd_revision = '', cause_of_death = '', hist = '' } = input
    if (!SEQUENCE.test(sequence)) return NOT_COUNTED
    if (icd_revision === '0' || isAfterCutOff(input)) return ALIVE
    const cause = cause_of_death.trim().toUpperCase()
    if (cause.length < 3 || UNKNOWN_CAUSES.includes(cause)) return UNKNOWN_CAUSE
    const kind = `${icd_revision} ${Number(sequence) === 0 ? '0' : '1'}`
    const group = groupOf(input)
    const counted = [
      ANY_SITE[kind],
      MELANOMAS(hist) ? MELANOMA[kind] : undefined,
      hasOthers && kind === '1 1' ? ofRevision10(hist, group) : undefined,
      group === undefined ? undefined : ofGroups.get(`${kind} ${group}`),
    ]
    return counted.some((one) => one !== undefined && isOf(one, cause)) ? OF_CANCER : OF_OTHER_CAUSE
  }
}

function ofRevision10(hist: string, group: string | undefined): Causes | undefined {
  if (MARROWS(hist)) return MARROW
  return group === MISCELLANEOUS_GROUP ? MISCELLANEOUS : undefined
}

function isAfterCutOff({ year_last_contact = '', cut_off_year = '' }: Texts): boolean {
  if (!YEAR.test(year_last_contact) || !YEAR.test(cut_off_year)) return false
  const year = Number(year_last_contact)
  return year !== UNKNOWN_YEAR && year > Number(cut_off_year)
}

/** Returns the causes of death that count, keyed by ICD revision, kind of sequence and site group. */
function readCauses(table: string): ReadonlyMap<string, Causes> {
  const lines = table.trim().replaceAll(/\n +/g, ' ').split('\n')
  const rows = lines.flatMap((line) => {
    const [kind = '', groups = '', byThree = '', whole = ''] = line.split('|')
    const counted = causes(byThree, whole)
    return groups
      .trim()
      .split(' ')
      .map((group) => [`${kind.trim()} ${group}`, counted] as const)
  })
  return new Map(rows)
}
