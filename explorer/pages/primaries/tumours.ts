/** A tumour in the form that the registry takes. */
export type Tumour = Readonly<Record<string, string>>

/** Members of a tumour. */
export const MEMBERS = [
  { key: 'primary_site', name: 'Site' },
  { key: 'histology_icd_o3', name: 'Histology' },
  { key: 'behavior_icd_o3', name: 'Behaviour' },
  { key: 'laterality', name: 'Laterality' },
  { key: 'date_of_diagnosis_year', name: 'Year' },
  { key: 'date_of_diagnosis_month', name: 'Month' },
  { key: 'date_of_diagnosis_day', name: 'Day' },
] as const

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
