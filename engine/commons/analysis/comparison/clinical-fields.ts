import { EngineError } from '../../../shared/errors.ts'
import { didYouMean, NearNames, quotedName } from '../../../shared/input/near-name.ts'
import { cases } from '../../datasets/case.ts'
import type { FieldPath } from '../../datasets/field-path.ts'
import { nearField } from '../../datasets/near-field.ts'
import { resolveField } from '../../datasets/resolve.ts'
import { fieldsOf } from '../../datasets/tree.ts'
import type { Layouts } from '../../query/field-cost.ts'

/** Parts of a case that describe the patient and the disease. */
const CLINICAL =
  /^(?:demographic|diagnoses|exposures|family_histories|follow_ups)\.|^(?:disease_type|primary_site|project\.project_id)$/
/** Names of fields that identify or date a record and that tell nothing about a group. */
const FORMAL = /(?:^|\.)(?:annotations\.|(?:submitter_id|state|\w+_ids?|\w+_datetime)$)/

/** Maximum number of fields of one comparison. */
const MAX_FIELDS = 500

/** Returns the clinical fields that have values in a release, in the order of their names. */
export function clinicalFields(layouts: Layouts): readonly FieldPath[] {
  const names = [cases.fields, cases.hidden].flatMap((tree) => [...fieldsOf(tree)])
  return names
    .map(([name]) => name)
    .filter((name) => CLINICAL.test(name) && (name === 'project.project_id' || !FORMAL.test(name)))
    .toSorted()
    .flatMap((name) => {
      const field = resolveField(cases, name)
      return field && hasValues(field, layouts) ? field : []
    })
}

const hasValues = ({ column }: FieldPath, layouts: Layouts): boolean =>
  layouts[column.dataset].columns[column.path] !== undefined

/**
 * Resolves names of fields of a case, with or without the prefix `cases.`.
 * @throws EngineError bad_input for a name that is no field of a case or of its project; too_many names
 */
export function namedFields(names: readonly string[], at = 'fields'): readonly FieldPath[] {
  if (names.length > MAX_FIELDS) {
    const message = `${names.length} fields are requested; request at most ${MAX_FIELDS} at a time`
    throw new EngineError('too_many', message, { at })
  }
  return [...new Set(names)].map((name) => {
    const own = name.replace(/^cases?\./, '')
    const field = resolveField(cases, own)
    if (field && ['cases', 'projects'].includes(field.column.dataset)) return field
    const near = field ? undefined : nearField(own, cases, new NearNames())
    const message = `${quotedName(name)} is not a field of a case${didYouMean([[name, near]])}; name fields such as demographic.race`
    throw new EngineError('bad_input', message, { at })
  })
}
