import { readingOf, readTyped } from '../../parts/typed-code.ts'

/** A tumour in the form that the registry takes. */
export type Tumour = Readonly<Record<string, string>>

const HISTOLOGY = 'histology_icd_o3'
const BEHAVIOR = 'behavior_icd_o3'

/** Members of a tumour. */
export const MEMBERS = [
  { key: 'primary_site', name: 'Site', kind: 'site' },
  { key: HISTOLOGY, name: 'Histology', kind: 'histology' },
  { key: BEHAVIOR, name: 'Behaviour', kind: 'behavior' },
  { key: 'laterality', name: 'Laterality', kind: 'code' },
  { key: 'date_of_diagnosis_year', name: 'Year', kind: 'year' },
  { key: 'date_of_diagnosis_month', name: 'Month', kind: 'code' },
  { key: 'date_of_diagnosis_day', name: 'Day', kind: 'code' },
] as const

/** Tumours in the codes of the registry, with what the page says of how they were read. */
export interface ReadTumours {
  readonly tumours: readonly Tumour[]
  /** Remarks on values that were typed in another form. */
  readonly readings: readonly string[]
  /** Questions that the person must answer before the tumours can be compared. */
  readonly questions: readonly string[]
}

/** Reads tumours as they were typed. Numbers of tumours begin with 1. */
export function readTumours(typed: readonly Tumour[]): ReadTumours {
  const readings: string[] = []
  const questions: string[] = []
  const tumours = typed.map((tumour, index) => {
    const name = `Tumour ${index + 1}`
    const read: Record<string, string> = {}
    for (const { key, kind } of MEMBERS) {
      const text = tumour[key]
      if (text === undefined) continue
      const one = readTyped(kind, text)
      const said = readingOf(text, one)
      if (said !== undefined) (one.question ? questions : readings).push(`${name}: ${said}`)
      read[key] = one.code
      if (one.behavior === undefined) continue
      const given = tumour[BEHAVIOR] && readTyped('behavior', tumour[BEHAVIOR]).code
      if (given && given !== one.behavior) {
        questions.push(`${name}: ${text} says behaviour ${one.behavior}, and the form ${given}`)
      } else read[BEHAVIOR] = one.behavior
    }
    return read
  })
  return { tumours, readings, questions }
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
