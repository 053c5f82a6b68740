import { type CodeKind, type ReadCodes, readCodes } from '../../parts/typed-code.ts'

/** A tumour in the form that the registry takes. */
export type Tumour = Readonly<Record<string, string>>

/** Members of a tumour. */
export const MEMBERS = [
  { key: 'primary_site', name: 'Site', kind: 'site' },
  { key: 'histology_icd_o3', name: 'Histology', kind: 'histology' },
  { key: 'behavior_icd_o3', name: 'Behaviour', kind: 'behavior' },
  { key: 'laterality', name: 'Laterality', kind: 'code' },
  { key: 'date_of_diagnosis_year', name: 'Year', kind: 'year' },
  { key: 'date_of_diagnosis_month', name: 'Month', kind: 'code' },
  { key: 'date_of_diagnosis_day', name: 'Day', kind: 'code' },
] as const

const KINDS: Readonly<Record<string, CodeKind>> = Object.fromEntries(
  MEMBERS.map(({ key, kind }) => [key, kind]),
)

/** Tumours in the registry's codes, with remarks on how the form read what was typed. */
interface ReadTumours extends Pick<ReadCodes, 'readings' | 'questions'> {
  readonly tumours: readonly Tumour[]
}

/** Converts tumours as they were typed. Tumours are numbered from 1. */
export function readTumours(typed: readonly Tumour[]): ReadTumours {
  const read = typed.map((tumour) => readCodes(tumour, KINDS))
  const named = (of: 'readings' | 'questions') =>
    read.flatMap((one, index) => one[of].map((text) => `Tumour ${index + 1}: ${text}`))
  return {
    tumours: read.map(({ codes }) => codes),
    readings: named('readings'),
    questions: named('questions'),
  }
}

/** Parses tumours in the URL, where `;` separates tumours and `,` separates members. */
export function tumoursOf(text: string): readonly Tumour[] {
  if (text === '') return []
  return text.split(';').map((one) => {
    const values = one.split(',')
    const given = MEMBERS.flatMap(({ key }, index) => {
      const value = values[index] ?? ''
      return value === '' ? [] : [[key, value] as const]
    })
    return Object.fromEntries(given)
  })
}

export const textOf = (tumours: readonly Tumour[]): string =>
  tumours
    .map((tumour) => MEMBERS.map(({ key }) => (tumour[key] ?? '').replace(/[,;]/g, ' ')).join(','))
    .join(';')
