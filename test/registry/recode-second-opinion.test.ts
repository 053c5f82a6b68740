import { describe, expect, test } from 'vitest'
import { findRecode, findVersion } from '../../engine/registry/recodes/answer.ts'
import { SITE_GROUPS, TUMOUR_GROUPS } from '../../engine/registry/recodes/site-groups.ts'
import { type Random, randomFrom } from '../../fixtures/random.ts'
import { available } from '../available.ts'
import { depth } from '../depth.ts'
import { NAIVE_NAMES, type NaiveInput, naiveTable } from './support/naive-recodes.ts'

// Every table agrees with an independent reader of the published file.

const CASES = depth(2000, 50_000, 1_000_000)
const GROUPS = [...SITE_GROUPS, ...TUMOUR_GROUPS]
const ODD = [
  '',
  ' ',
  'C',
  'c500',
  '8500',
  'C18',
  'C0379',
  'C5000',
  '0000',
  'XXXX',
  '99999999999999',
  'é',
]

test('every table has a second opinion', () => {
  const names = GROUPS.flatMap(({ id, versions }) => versions.map((one) => `${id} ${one.id}`))
  expect(names).toEqual(NAIVE_NAMES)
})

describe.skipIf(!available.shared)('a second opinion', () => {
  test.each(NAIVE_NAMES)(`agrees on ${CASES} random cases of %s`, (name) => {
    const [id = '', version] = name.split(' ')
    const recode = findVersion(findRecode(GROUPS, id), version).make()
    const naive = naiveTable(name)
    const sites = naive.written.filter((word) => word.startsWith('C'))
    const hists = naive.written.filter((word) => /^\d{4}$/.test(word))
    const random = randomFrom(89, name.length)
    const seen = new Set<string>()
    for (let i = 0; i < CASES; i++) {
      const input = randomCase(random, sites, hists)
      const {
        site_group,
        recode: code = site_group,
        extended_group,
        name: told,
      } = recode({ ...input })
      const wanted = naive.recode(input)
      seen.add(wanted.code)
      const isSame =
        code === wanted.code &&
        told === wanted.name &&
        (extended_group === undefined || extended_group === (wanted.extended || '999'))
      if (!isSame) expect({ input, code, told, extended_group }).toEqual({ input, ...wanted })
    }
    // Most codes of the table occur, because the cases are near to its values.
    const codes = new Set(naive.rows.map((row) => row.code))
    expect(seen.size).toBeGreaterThan(codes.size / 2)
  })
})

/** Most values occur in the table, or next to one of its values. */
function randomCase(
  random: Random,
  sites: readonly string[],
  hists: readonly string[],
): NaiveInput {
  const pick = (from: readonly string[]) => from[random.below(from.length)] as string
  const value = (words: readonly string[], any: () => string) => {
    const kind = random.below(20)
    if (kind === 0) return pick(ODD)
    return kind < 12 ? beside(pick(words), random.below(3) - 1) : any()
  }
  return {
    site: value(sites, () => `C${String(random.below(810)).padStart(3, '0')}`),
    hist: value(hists, () => String(8000 + random.below(2000))),
    behavior: random.below(20) === 0 ? pick(ODD) : String([3, 3, 3, 2, 1, 0][random.below(6)]),
    year: random.below(20) === 0 ? pick(ODD) : String(2000 + random.below(25)),
  }
}

/** A code at a distance from another, in its form. */
function beside(code: string, by: number): string {
  const letter = code.startsWith('C') ? 'C' : ''
  const digits = code.slice(letter.length)
  const number = Math.max(0, Number(digits) + by)
  return letter + String(number).padStart(digits.length, '0')
}
