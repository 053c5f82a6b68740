import { codeSet } from './code-set.ts'
import type { Texts } from './recode.ts'

// Breast cancer subtype by receptors (registry-lookups.md 4.9). Until 2017, receptors are site-specific factors
// of Collaborative Stage. Since 2018, they are separate items.

const POSITIVE = '1'
const NEGATIVE = '2'
const UNKNOWN = '4'
const SUBTYPE_UNKNOWN = '5'
const NOT_CODED = '9'

const FIRST_YEAR = 2010
const FIRST_YEAR_OF_ITEMS = 2018

const BREAST = codeSet('C500-C506 C508-C509')
const BREAST_HISTOLOGIES = codeSet('8000-8700 8982-8983')
/** Melanomas count in all parts of the breast except the nipple. */
const BELOW_NIPPLE = codeSet('C501-C506 C508-C509')
const MELANOMAS = codeSet('8720-8790')

const FOUR_CHARACTERS = /^.{4}$/
const YEAR = /^\d{4}$/
const NOT_APPLICABLE = '988'

const OF_FACTORS: Readonly<Record<string, string>> = { '010': POSITIVE, '020': NEGATIVE }
const OF_ITEMS: Readonly<Record<string, string>> = { '1': POSITIVE, '0': NEGATIVE }

/** Returns the receptors and the subtype of a breast cancer diagnosed since 2010. Returns 9 for any other tumor. */
export function breastSubtype(tumour: Texts): Texts {
  const { site = '', hist = '', year = '' } = tumour
  const isCoded = FOUR_CHARACTERS.test(site) && FOUR_CHARACTERS.test(hist)
  const isBreast =
    (BREAST(site) && BREAST_HISTOLOGIES(hist)) || (BELOW_NIPPLE(site) && MELANOMAS(hist))
  if (!isCoded || !isBreast || !YEAR.test(year) || Number(year) < FIRST_YEAR) {
    return { er: NOT_CODED, pr: NOT_CODED, her2: NOT_CODED, subtype: NOT_CODED }
  }
  const receptors =
    Number(year) < FIRST_YEAR_OF_ITEMS ? receptorsOfFactors(tumour) : receptorsOfItems(tumour)
  return { ...receptors, subtype: subtypeOf(receptors) }
}

interface Receptors {
  readonly er: string
  readonly pr: string
  readonly her2: string
}

const receptorsOfItems = ({ er_summary, pr_summary, her2_summary }: Texts): Receptors => ({
  er: meaningOf(er_summary, OF_ITEMS),
  pr: meaningOf(pr_summary, OF_ITEMS),
  her2: meaningOf(her2_summary, OF_ITEMS),
})

const receptorsOfFactors = (tumour: Texts): Receptors => ({
  er: meaningOf(tumour.cs_factor_1, OF_FACTORS),
  pr: meaningOf(tumour.cs_factor_2, OF_FACTORS),
  her2: her2OfFactors(tumour),
})

/** Returns the HER2 summary, or else the result of a positive or negative test, or else of the first test. */
function her2OfFactors(tumour: Texts): string {
  const { cs_factor_15: summary = '' } = tumour
  if (summary !== '' && summary !== NOT_APPLICABLE) return meaningOf(summary, OF_FACTORS)
  const tests = [tumour.cs_factor_11, tumour.cs_factor_13, tumour.cs_factor_14].map((test) =>
    meaningOf(test, OF_FACTORS),
  )
  if (tests.includes(POSITIVE)) return POSITIVE
  if (tests.includes(NEGATIVE)) return NEGATIVE
  return meaningOf(tumour.cs_factor_9, OF_FACTORS)
}

const meaningOf = (code: string | undefined, meanings: Readonly<Record<string, string>>) =>
  (code !== undefined && Object.hasOwn(meanings, code) && meanings[code]) || UNKNOWN

function subtypeOf({ er, pr, her2 }: Receptors): string {
  const isHormonePositive = er === POSITIVE || pr === POSITIVE
  const isHormoneNegative = er === NEGATIVE && pr === NEGATIVE
  if (her2 === UNKNOWN || !(isHormonePositive || isHormoneNegative)) return SUBTYPE_UNKNOWN
  if (her2 === POSITIVE) return isHormonePositive ? '1' : '2'
  return isHormonePositive ? '3' : '4'
}
