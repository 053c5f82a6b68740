import type { Is, Relation } from './answer.ts'
import { FIRST_HISTOLOGY, LAST_HISTOLOGY, PLACES, placeOf } from './diagnosis.ts'

// Compiles lists of codes in text form (`8140 8500-8503 8541/3`, `C50 C619`) to bit sets.

const SITES = 1000
const BEHAVIORS = [0, 1, 2, 3, 6] as const

/** Splits a text at whitespace. */
export function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

/** Expands the ranges in lists to all codes. The codes of a range of sites keep their number of digits. */
export function expandCodes(lists: string): string[] {
  return words(lists).flatMap((word) => {
    const [low = '', high] = word.split('-')
    if (high === undefined) return [low]
    const letter = low.startsWith('C') ? 'C' : ''
    const [from, to] = [low, high].map((code) => Number(code.slice(letter.length)))
    const width = low.length - letter.length
    return Array.from(
      { length: Number(to) - Number(from) + 1 },
      (_, i) => letter + String(Number(from) + i).padStart(width, '0'),
    )
  })
}

/** Returns the morphology indexes of a histology with any behavior (`8140`) or with one behavior (`8140/3`). */
export function placesOf(code: string): number[] {
  const [histology, behavior] = code.split('/').map(Number)
  const isCode =
    histology !== undefined && histology >= FIRST_HISTOLOGY && histology <= LAST_HISTOLOGY
  if (!isCode) throw new Error(`${code} is no code of a histology`)
  if (behavior !== undefined) return [placeOf(histology, behavior)]
  return BEHAVIORS.map((one) => placeOf(histology, one))
}

/** Returns the site numbers of a four-character code, or of a three-character code with all its subsites. */
function sitesOf(code: string): number[] {
  const number = Number(code.slice(1))
  return code.length === 4 ? [number] : Array.from({ length: 10 }, (_, i) => number * 10 + i)
}

/** Returns a test for whether a tumor's histology, with or without a behavior, is in one of the lists. */
export function histologyIn(...lists: readonly string[]): Is {
  const bits = bitsOf(expandCodes(lists.join(' ')).flatMap(placesOf), PLACES)
  return ({ morphology }) => hasBit(bits, morphology)
}

/** Returns a test for whether a tumor's site is in one of the lists. */
export function siteIn(...lists: readonly string[]): Is {
  const bits = bitsOf(expandCodes(lists.join(' ')).flatMap(sitesOf), SITES)
  return ({ site }) => hasBit(bits, site)
}

/** Returns a test for whether both sites are in the same entry of a list. Semicolons separate entries. */
export function bothSitesInOneOf(list: string): Relation {
  const entries = list.split(';')
  const masks = new Int32Array(SITES)
  entries.forEach((entry, i) => {
    for (const site of expandCodes(entry).flatMap(sitesOf)) {
      masks[site] = (masks[site] ?? 0) | (1 << i)
    }
  })
  return (one, other) => ((masks[one.site] ?? 0) & (masks[other.site] ?? 0)) !== 0
}

/** Tests whether the sites are in two different lists. */
export function sitesInDifferentOnesOf(...lists: readonly string[]): Relation {
  const numbers = new Uint8Array(SITES)
  lists.forEach((list, i) => {
    for (const site of expandCodes(list).flatMap(sitesOf)) numbers[site] = i + 1
  })
  return (one, other) => {
    const [first, second] = [numbers[one.site], numbers[other.site]]
    return first !== 0 && second !== 0 && first !== second
  }
}

/** Returns a function that maps a morphology to the branches of a chart, one bit per branch. */
export function branchesOf(
  chart: Readonly<Record<string, string>>,
): (tumour: { readonly morphology: number }) => number {
  const masks = new Int32Array(PLACES)
  Object.values(chart).forEach((codes, i) => {
    for (const place of expandCodes(codes).flatMap(placesOf)) {
      masks[place] = (masks[place] ?? 0) | (1 << i)
    }
  })
  return ({ morphology }) => masks[morphology] ?? 0
}

function bitsOf(numbers: readonly number[], count: number): Uint32Array {
  const bits = new Uint32Array(Math.ceil(count / 32))
  for (const number of numbers) {
    bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31))
  }
  return bits
}

function hasBit(bits: Uint32Array, number: number): boolean {
  return (((bits[number >>> 5] ?? 0) >>> (number & 31)) & 1) === 1
}
