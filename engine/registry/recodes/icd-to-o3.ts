import type { Recode, Texts } from './recode.ts'

// Converts ICD codes to site and morphology (registry-lookups.md 4.7).

const MEMBERS = Object.freeze(['hist', 'behavior', 'grade', 'laterality', 'reportable'] as const)

/** Matches codes in upper or lower case. They may have a dot after the first three characters. */
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
 * Creates a conversion from a table. Each line has the values of MEMBERS, with `-` for none. After a bar follow
 * codes such as `232:C449/1`: the code, its site if it differs, and the sex to which it applies.
 * @param whole completes a code of three characters
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
    // If the sex is unknown, codes that depend on it are read as those of men.
    const otherwise = sex === undefined ? rows.get(`${plain}/${MALE}`) : undefined
    return ofSex ?? rows.get(plain) ?? otherwise ?? {}
  }
}

/** Completes an ICD-10 code: `C50` means `C509`. */
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
