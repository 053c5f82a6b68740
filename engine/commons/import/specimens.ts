import type { JsonObject } from '../../shared/input/json-value.ts'
import { DATASETS } from '../datasets/index.ts'
import { caseInBarcode } from './biospecimen/barcode.ts'
import type { CaseLink, TableCases } from './case-links.ts'
import type { Joins } from './joins.ts'
import { idOf, type RecordId } from './record-id.ts'
import { RowError } from './row-error.ts'
import { isUuid } from './uuid-cell.ts'

/** The case that a row of a table belongs to. */
export interface Patient {
  readonly link: CaseLink
  readonly known: RecordId
  /** Stands for the case in ids: its name, or its id if it has none. */
  readonly key: string
}

/** Finds the cases of a table's rows by the names that it has for patients and specimens. */
export class Specimens {
  readonly #cases: TableCases | undefined
  readonly #joins: Joins
  readonly #found = new Map<string, Patient>()

  constructor(cases: TableCases | undefined, joins: Joins) {
    this.#cases = cases
    this.#joins = joins
  }

  /**
   * Finds the case of a row that has one or more names or ids of its specimen: the case whose name a
   * barcode begins with, the one that has such a specimen, the one of the file, or a new one.
   * @throws RowError when no case has a specimen of this id, and the row has no name for a new case
   */
  of(...names: readonly (string | undefined)[]): Patient {
    const given = names.filter((name) => name !== undefined)
    const key = given.join('\n')
    const patient = this.#found.get(key) ?? this.#find(given)
    this.#found.set(key, patient)
    return this.joined(patient, given[0])
  }

  /** The only case of the file that the table came in; counted as joined. */
  ofFile(): Patient | undefined {
    const link = this.#cases?.ofFile
    return link && this.joined(patientOf(link), undefined)
  }

  /** Counts a row as joined to a case that is known, or as one of a new case. */
  joined(patient: Patient, name: string | undefined): Patient {
    if (!this.#cases || this.#cases.has(patient.link)) this.#joins.add()
    else this.#joins.addNew(name ?? patient.key)
    return patient
  }

  #find(names: readonly string[]): Patient {
    const cases = this.#cases
    for (const name of names) {
      const barcode = caseInBarcode(name)
      const named = { submitter_id: barcode ?? name }
      const link = barcode !== undefined || cases?.has(named) ? named : cases?.ofEntity(name)
      if (link) return patientOf(link)
    }
    if (cases?.ofFile) return patientOf(cases.ofFile)
    const name = names.find((each) => !isUuid(each))
    if (name !== undefined) return patientOf({ submitter_id: name })
    throw new RowError(
      `no case of the release has an aliquot "${names[0]}"; import its record before`,
    )
  }
}

/** @throws RowError when the case has neither an id nor a name */
export function patientOf(link: CaseLink): Patient {
  const known = idOf(DATASETS.cases, { ...link })
  if (!known) throw new RowError('the case has neither an id nor a name')
  return { link, known, key: link.submitter_id ?? known.id }
}

/** The member of an observation that has a specimen as a table calls it. */
export const observedAs = (name: string | undefined): JsonObject | undefined =>
  name === undefined
    ? undefined
    : { [isUuid(name) ? 'tumor_sample_uuid' : 'tumor_sample_barcode']: name }
