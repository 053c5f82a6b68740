import { OTHER_HISTOLOGIES, SAME_HISTOLOGIES, SPECIAL_MORPHOLOGIES } from './data/icd-o-2.ts'
import type { Texts } from './recode.ts'

// Converts ICD-O-3 morphology to ICD-O-2 (registry-lookups.md 4.7).

const SITE = /^C(\d{3})$/i
const LAST_SITE = 809
const HISTOLOGY = /^[89]\d{3}$/
const BEHAVIORS: readonly string[] = Object.freeze(['0', '1', '2', '3', '6', '9'])
const ALL = 'A'
const APPENDIX = 181

/** Values of the output `conversion`. */
export const CONVERSIONS = 'done, review, invalid_site, invalid_hist or invalid_behavior'

interface Morphology {
  readonly hist: string
  readonly behavior: string
  readonly review: boolean
}

/** Conversion of a histology. Behaviors are a single digit, `A` for all, or `-` for none. */
interface Converted {
  readonly hist: string
  /** Behaviors that need review. */
  readonly review: string
  /** Behaviors with a special morphology. */
  readonly special: string
  /** Behaviors for which the site matters. */
  readonly bySite: string
}

/** Creates the conversion to ICD-O-2 morphology, which also marks results that need review. */
export function makeO3ToO2(): (input: Texts) => Texts {
  const histologies = readHistologies()
  const specials = readSpecials()
  return ({ site = '', hist = '', behavior = '' }) => {
    const place = Number(SITE.exec(site)?.[1] ?? Number.NaN)
    const found = histologies.get(hist)
    // If several inputs are invalid, only the last is reported.
    if (!BEHAVIORS.includes(behavior)) return { conversion: 'invalid_behavior' }
    if (!HISTOLOGY.test(hist)) return { conversion: 'invalid_hist' }
    if (!(place <= LAST_SITE)) return { conversion: 'invalid_site' }
    if (!found) return { conversion: 'invalid_hist' }
    const holds = (flag: string) => flag === ALL || flag === behavior
    const special = holds(found.special) ? specials.get(`${hist}/${behavior}`) : undefined
    const review = holds(found.review) || (hist === '8402' && behavior === '3')
    const plain = { hist: special?.hist ?? found.hist, behavior: special?.behavior ?? behavior }
    const bySite = found.bySite === behavior ? ofSite(hist, place) : {}
    const morphology: Morphology = { ...plain, review, ...bySite }
    return {
      hist_icd_o_2: morphology.hist,
      behavior_icd_o_2: morphology.behavior,
      conversion: morphology.review ? 'review' : 'done',
    }
  }
}

const within = (site: number, first: number, last: number) => first <= site && site <= last

/** Returns the parts of the result that depend on the site, for histologies and behaviors for which it matters. */
function ofSite(hist: string, site: number): Partial<Morphology> {
  switch (hist) {
    case '8240':
      return site === APPENDIX ? { review: true } : { hist: '8241' }
    case '8245':
      return { hist: '8240', behavior: site === APPENDIX ? '1' : '3', review: true }
    case '8249':
      return site === APPENDIX ? { behavior: '1' } : {}
    case '9133':
      return within(site, 340, 349) ? { hist: '9134', behavior: '1', review: true } : {}
    case '9160':
      return { review: true, ...(within(site, 440, 449) && { hist: '8724' }) }
    case '9590':
      return within(site, 710, 719) ? { hist: '9594', review: true } : {}
    default:
      return {}
  }
}

const wordsOf = (text: string) => text.trim().split(/\s+/)

function readHistologies(): ReadonlyMap<string, Converted> {
  const same = wordsOf(SAME_HISTOLOGIES).flatMap((word) => {
    const [first = 0, last = first] = word.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, i) => String(first + i))
  })
  const none = { review: '-', special: '-', bySite: '-' }
  const others = wordsOf(OTHER_HISTOLOGIES).map((word) => {
    const [hist = '', to = ''] = word.split(':')
    const [converted = '', flags = '---'] = to.split('/')
    const [review = '-', special = '-', bySite = '-'] = flags
    return [hist, { hist: converted, review, special, bySite }] as const
  })
  return new Map([...same.map((hist) => [hist, { hist, ...none }] as const), ...others])
}

function readSpecials(): ReadonlyMap<string, { readonly hist: string; readonly behavior: string }> {
  const specials = wordsOf(SPECIAL_MORPHOLOGIES).map((word) => {
    const [from = '', to = ''] = word.split(':')
    const [hist = '', behavior = ''] = to.split('/')
    return [from, { hist, behavior }] as const
  })
  return new Map(specials)
}
