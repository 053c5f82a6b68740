import type { JsonObject } from '../../shared/input/json-value.ts'
import { DATASETS } from '../datasets/index.ts'
import { caseInBarcode } from './biospecimen/barcode.ts'
import type { CaseLink, TableCases } from './case-links.ts'
import type { Joins } from './joins.ts'
import { idOf, type RecordId } from './record-id.ts'
import { RowError } from './row-error.ts'
import { isUuid } from './uuid-cell.ts'

/** The case of a table row. */
export interface Patient {
  readonly link: CaseLink
  /** Id of the case, possibly generated from its name. */
  readonly id: RecordId
  /** Represents the case in generated ids. It is the name of the case, or its id if it has no name. */
  readonly key: string
}

/** Maximum number of patients to remember. Looking one up twice is harmless. */
const MAX_REMEMBERED = 100_000

/** Patients of a table's rows. */
export class TablePatients {
  /** Patients, keyed by the names in a row. */
  readonly found = new Map<string, Patient>()
  /** Keys of the patients whose case MutationWriter has staged. */
  readonly reported = new Set<string>()
}

/** Finds the cases of a table's rows by the names of patients and specimens in it. */
export class Specimens {
  readonly #cases: TableCases | undefined
  readonly #joins: Joins
  readonly #found: Map<string, Patient>

  constructor(
    cases: TableCases | undefined,
    joins: Joins,
    { found }: Pick<TablePatients, 'found'> = new TablePatients(),
  ) {
    this.#cases = cases
    this.#joins = joins
    this.#found = found
  }

  /**
   * Returns the case of a row from one or more names or ids of its specimen. Tries in this order:
   * 1. the case that a TCGA barcode names, the case with this name, or the case with such a specimen, of the first
   *    name that has one
   * 2. the only case of the table's file
   * 3. a new case with the first name that is not a UUID
   * @throws RowError if the names belong to several cases; if a specimen of several cases or a list of names
   *   (with `;` or `|`) would name a new case; if the row has only UUIDs that no case has
   */
  of(...names: readonly (string | undefined)[]): Patient {
    const given = names.filter((name) => name !== undefined)
    const key = given.join('\n')
    const known = this.#found.get(key)
    return known ? this.joined(known, given[0]) : this.#remember(key, this.#find(given), given[0])
  }

  /**
   * Returns the case of a row that has the id of its case and perhaps names or ids of its specimen.
   * @param id of the case
   * @throws RowError if one of the names belongs to another case
   */
  ofCase(id: string, ...names: readonly (string | undefined)[]): Patient {
    const given = names.filter((name) => name !== undefined)
    const key = [id, ...given].join('\n')
    const known = this.#found.get(key)
    if (known) return this.joined(known, given[0])
    const own = this.#cases?.ofEntity(id) ?? { case_id: id }
    const barcode = given.map(caseInBarcode).find((each) => each !== undefined)
    const links = given.flatMap((name) => this.#linkOf(name) ?? [])
    mustBeOne([own, ...links], [id, ...given])
    const patient = patientOf(
      barcode === undefined ? { case_id: id } : { case_id: id, submitter_id: barcode },
    )
    return this.#remember(key, patient, given[0])
  }

  /**
   * Returns the only case of the file that contains the table, and counts a row of it. Undefined if the file's
   * record does not have exactly one case.
   */
  ofFile(): Patient | undefined {
    const link = this.#cases?.ofFile
    return link && this.joined(patientOf(link), undefined)
  }

  /**
   * Counts a row as joined if another source or the release has its case, or if there are no cases to join;
   * otherwise as a row of a new case. Must be called for every row. Returns the case.
   */
  joined(patient: Patient, name: string | undefined): Patient {
    if (!this.#cases || this.#cases.has(patient.link)) this.#joins.add()
    else this.#joins.addNew(name ?? patient.key)
    return patient
  }

  #remember(key: string, patient: Patient, name: string | undefined): Patient {
    if (this.#found.size >= MAX_REMEMBERED) this.#found.clear()
    this.#found.set(key, patient)
    return this.joined(patient, name)
  }

  /** Returns the case to which a name or id belongs. Undefined if there is none. */
  #linkOf(name: string): CaseLink | undefined {
    const barcode = caseInBarcode(name)
    const named = { submitter_id: barcode ?? name }
    if (barcode !== undefined || this.#cases?.has(named)) return named
    return this.#cases?.ofEntity(name)
  }

  #find(names: readonly string[]): Patient {
    const cases = this.#cases
    const links = names.flatMap((name) => this.#linkOf(name) ?? [])
    mustBeOne(links, names)
    if (links[0]) return patientOf(links[0])
    if (cases?.ofFile) return patientOf(cases.ofFile)
    const shared = names.find((name) => cases?.isShared(name))
    if (shared !== undefined) {
      throw new RowError(`"${shared}" is a specimen of several cases; add a column case_id`)
    }
    const name = names.find((each) => !isUuid(each))
    if (name !== undefined && /[;|]/.test(name)) {
      throw new RowError(
        `"${name}" looks like a list of specimens; give each specimen a row of its own`,
      )
    }
    if (name !== undefined) return patientOf({ submitter_id: name })
    throw new RowError(
      `no case of the release has an aliquot "${names[0]}"; import the record of the aliquot first`,
    )
  }
}

/** @throws RowError if two links are to different cases */
function mustBeOne([first, ...others]: readonly CaseLink[], names: readonly string[]): void {
  const isOther = (link: CaseLink) =>
    first !== undefined &&
    (differ(first.submitter_id, link.submitter_id) || differ(first.case_id, link.case_id))
  const other = others.find(isOther)
  if (other === undefined) return
  const all = names.map((name) => `"${name}"`).join(' and ')
  throw new RowError(
    `${all} are of the cases "${nameOf(first)}" and "${nameOf(other)}"; correct the row`,
  )
}

const differ = (one: string | undefined, other: string | undefined) =>
  one !== undefined && other !== undefined && one !== other

const nameOf = (link: CaseLink | undefined) => link?.submitter_id ?? link?.case_id

/**
 * Returns the patient for a link to a case.
 * @throws RowError if the case has neither an id nor a name
 */
function patientOf(link: CaseLink): Patient {
  const id = idOf(DATASETS.cases, { ...link })
  if (!id) throw new RowError('the case has neither an id nor a name')
  return { link, id, key: link.submitter_id ?? id.id }
}

/**
 * Returns the member by which an observation names its tumor sample: `tumor_sample_uuid` for a UUID, otherwise
 * `tumor_sample_barcode`. Undefined without a name.
 */
export const observedAs = (name: string | undefined): JsonObject | undefined =>
  name === undefined
    ? undefined
    : { [isUuid(name) ? 'tumor_sample_uuid' : 'tumor_sample_barcode']: name }
