import type { Recode, Texts } from './recode.ts'

// Codes of diseases as site and morphology of a tumour (registry-lookups.md 4.7).

const MEMBERS = Object.freeze(['hist', 'behavior', 'grade', 'laterality', 'reportable'] as const)

/** How a code may be written: with a dot behind its first three characters, in any case. */
const WRITTEN = /^[A-Z0-9]{3}(?:\.?[A-Z0-9]{1,4})?$/i
const MALE = '1'
const SEXES: readonly string[] = Object.freeze([MALE, '2'])

export const ICD_OUTPUTS: Recode['outputs'] = Object.freeze({
  site: 'Primary site by ICD-O-3; absent for a code that the table does not have',
  hist: 'Histology by ICD-O-3',
  behavior: 'Behavior by ICD-O-3',
  grade: 'Grade, differentiation or cell type',
  laterality: 'Laterality; absent where the table has none',
  reportable: 'Y for yes, O for optional; absent where the table does not say',
})

/**
 * What answers by a table of codes. A line of it is what MEMBERS name, `-` for nothing, and behind a stroke
 * codes `232:C449/1`: a code, its site where that is another text, and the sex that it is for.
 * @param whole makes a code of three characters a whole one
 */
export function icdToO3(
  table: string,
  whole: (code: string) => string = (code) => code,
): (input: Texts) => Texts {
  const rows = readRows(table)
  return ({ code = '', sex }) => {
    if (!WRITTEN.test(code)) return {}
    const plain = whole(code.replace('.', '').toUpperCase())
    const ofSex = sex !== undefined && SEXES.includes(sex) ? rows.get(`${plain}/${sex}`) : undefined
    // Without a sex, what is told apart by it is that of men.
    const otherwise = sex === undefined ? rows.get(`${plain}/${MALE}`) : undefined
    return ofSex ?? rows.get(plain) ?? otherwise ?? {}
  }
}

/** ICD-10 takes `C50` for `C509`. */
export const unspecified = (code: string): string => (code.length === 3 ? `${code}9` : code)

function readRows(table: string): ReadonlyMap<string, Texts> {
  const lines = table.trim().replaceAll(/\n +/g, ' ').split('\n')
  return new Map(lines.flatMap(readLine))
}

function readLine(line: string): (readonly [key: string, answer: Texts])[] {
  const [shared = '', codes = ''] = line.split(' | ')
  const values = shared.split(' ')
  const members = MEMBERS.flatMap((name, i) => {
    const value = values[i] ?? '-'
    return value === '-' ? [] : [[name, value] as const]
  })
  return codes.split(' ').map((word) => {
    const [written = '', sex] = word.split('/')
    const [code = '', site = code] = written.split(':')
    const key = sex === undefined ? code : `${code}/${sex}`
    return [key, Object.freeze({ site, ...Object.fromEntries(members) })] as const
  })
}
