import type { Texts } from './recode.ts'

// Grades of a schema, in the order in which they take precedence (registry-lookups.md 4.2).

const IN_SITU_BREAST = 'HML321DCBA9'
const MALIGNANT_BREAST = '321HMLDCBA9'
const UNGRADED = '8'
const OTHERS = 'S54321EDCBAHML9'

const BREAST = '00480'
const UNGRADED_SCHEMAS: readonly string[] = Object.freeze([
  '00790',
  '00795',
  '00811',
  '00812',
  '00821',
  '00822',
  '00830',
])

/** Returns the higher of the clinical and the pathological grade. Returns none if neither counts. */
export function summaryGrade({
  schema_id,
  behavior,
  grade_clinical,
  grade_pathological,
}: Texts): Texts {
  const grades = gradesOf(schema_id, behavior)
  const places = [grade_clinical, grade_pathological]
    .map((grade) => (grade?.length === 1 ? grades.indexOf(grade) : -1))
    .filter((place) => place >= 0)
  return { grade: places.length === 0 ? undefined : grades[Math.min(...places)] }
}

function gradesOf(schema: string | undefined, behavior: string | undefined): string {
  if (schema === BREAST) {
    if (behavior === '2') return IN_SITU_BREAST
    return behavior === '3' ? MALIGNANT_BREAST : ''
  }
  return schema !== undefined && UNGRADED_SCHEMAS.includes(schema) ? UNGRADED : OTHERS
}
