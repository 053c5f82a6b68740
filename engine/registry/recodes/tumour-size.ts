import { type CodeSet, codeSet } from './code-set.ts'
import { TUMOUR_SIZES } from './data/tumour-sizes.ts'
import type { Texts } from './recode.ts'

// Combines the tumor size of all years (registry-lookups.md 4.6). Over the years, three items with different
// codes have held it.

const NOT_AVAILABLE = 'XX1'
const UNKNOWN = '999'
const DIFFUSE = '998'

const NO_SIZE_SITES = codeSet('C420-C424 C690 C760-C779 C809')
const HISTOLOGIES = codeSet('8000-9993')
const NO_SIZE_HISTOLOGIES = codeSet('8720-8790 9140 9590-9993')
const TOO_LARGE = codeSet('401-989')

const LUNG = codeSet('C340-C349')
const BREAST = codeSet('C500-C509')
const POLYPOSIS_SITES = codeSet('C180-C189 C199 C209')
const POLYPOSIS = codeSet('8220-8221')
const DIFFUSE_SITES = codeSet('C150-C169 C340-C349 C500-C509')
const BONE = codeSet('C400-C403 C408-C414 C418-C419')
const STROMAL_SITES = codeSet('C150-C209 C480 C482 C488')
const STROMAL = codeSet('8935-8936')

/** Codes of today, keyed by the codes of an item. */
type Meanings = Readonly<Record<string, string>>

const UNTIL_2003: Meanings = { '990': '989', '001': '990' }
const FROM_2004: Meanings = { '991': '005', '992': '015', '993': '025', '994': '035', '995': '045' }
const NONE: Meanings = {}

interface Tumour {
  readonly site: string
  readonly hist: string
  readonly year: number
}

/** Meanings of codes at certain sites; the first match applies. */
const SITES_UNTIL_2003: readonly (readonly [(tumour: Tumour) => boolean, Meanings])[] = [
  [({ site }) => BREAST(site), { '002': UNKNOWN, '997': UNKNOWN }],
  [({ site }) => LUNG(site), { '002': UNKNOWN }],
]
const SITES_FROM_2004: typeof SITES_UNTIL_2003 = [
  [({ site }) => LUNG(site), { '996': UNKNOWN, '997': DIFFUSE }],
  [({ site }) => BONE(site), { '996': '065', '997': '085' }],
  [
    ({ site, hist, year }) => year >= 2010 && STROMAL_SITES(site) && STROMAL(hist),
    { '996': '075', '997': '105' },
  ],
  [({ site }) => BREAST(site), { '996': UNKNOWN, '997': UNKNOWN }],
  [({ site }) => site === 'C649', { '996': '065', '997': '075', '998': '105' }],
  [() => true, { '996': '055', '997': UNKNOWN }],
]

const YEAR = /^\d{4}$/
const SIZE = /^\d{3}$/

/** Creates the recode of tumor size, which is in millimeters or a code. */
export function makeTumourSize(): (input: Texts) => Texts {
  const accepted = readAccepted()
  return (input) => {
    const { site = '', hist = '', behavior } = input
    const isWithoutSize = NO_SIZE_HISTOLOGIES(hist) || (NO_SIZE_SITES(site) && HISTOLOGIES(hist))
    if (isWithoutSize) return { tumor_size: NOT_AVAILABLE }
    const size = meantBy(input)
    if (size === undefined) return {}
    const isKnown =
      size === DIFFUSE
        ? mayBeDiffuse(site, hist, behavior)
        : SIZE.test(size) && (accepted.get(site)?.(size) ?? true)
    return { tumor_size: isKnown ? size : UNKNOWN }
  }
}

/** Returns the size in current codes, or undefined if no size was given. */
function meantBy(input: Texts): string | undefined {
  const { site = '', hist = '' } = input
  const year = YEAR.test(input.year ?? '') ? Number(input.year) : 0
  const [size, general, special] = itemOf(year, input)
  if (size === undefined || size.trim() === '') return undefined
  if (TOO_LARGE(size)) return UNKNOWN
  const ofSite = special.find(([isOf]) => isOf({ site, hist, year }))?.[1]
  return ofSite?.[size] ?? general[size] ?? size
}

function itemOf(
  year: number,
  { eod_tumor_size, cs_tumor_size, tumor_size_summary }: Texts,
): readonly [size: string | undefined, general: Meanings, special: typeof SITES_UNTIL_2003] {
  if (year < 1988) return [undefined, NONE, []]
  if (year <= 2003) return [eod_tumor_size, UNTIL_2003, SITES_UNTIL_2003]
  if (year <= 2015) return [cs_tumor_size, FROM_2004, SITES_FROM_2004]
  return [tumor_size_summary, NONE, []]
}

function mayBeDiffuse(site: string, hist: string, behavior: string | undefined): boolean {
  return DIFFUSE_SITES(site) || (POLYPOSIS_SITES(site) && POLYPOSIS(hist) && behavior === '3')
}

/** Returns the accepted sizes by site. */
function readAccepted(): ReadonlyMap<string, CodeSet> {
  const lines = TUMOUR_SIZES.trim().replaceAll(/\n +/g, ' ').split('\n')
  const ofSites = lines.flatMap((line) => {
    const [sizes = '', sites = ''] = line.split('|')
    const set = codeSet(sizes)
    return expand(sites).map((site) => [site, set] as const)
  })
  return new Map(ofSites)
}

/** Expands `C000-C002` to its codes. */
function expand(list: string): string[] {
  return list
    .trim()
    .split(' ')
    .flatMap((word) => {
      const [low, high = low] = word.split('-').map((code) => Number(code.slice(1)))
      const count = Number(high) - Number(low) + 1
      return Array.from({ length: count }, (_, i) => `C${String(Number(low) + i).padStart(3, '0')}`)
    })
}
