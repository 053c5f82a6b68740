import { nameUuid } from '../../shared/catalogue/uuid.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import { addedToPlaced } from './finish-mutation.ts'
import type { Intake } from './intake.ts'
import { type Patient, TablePatients } from './specimens.ts'
import { RANKS } from './split-record.ts'
import { endingOf } from './staged-entries.ts'

/** Maximum number of patients to remember as staged. Staging a patient twice is harmless. */
const MAX_REMEMBERED = 100_000

/**
 * Stages mutations and their occurrences directly as text. Records are neither tidied nor split, because tables
 * have millions of them. The parts are the same as those of an occurrence record that contains the others.
 */
export class MutationWriter {
  readonly #intake: Intake
  readonly #reportedPatients: Set<string>

  constructor(intake: Intake, { reported }: Pick<TablePatients, 'reported'> = new TablePatients()) {
    this.#intake = intake
    this.#reportedPatients = reported
  }

  /**
   * Stages a mutation with its occurrence in a patient.
   * @param mutation document whose id was generated from its place
   * @param observed observation of this mutation in this patient
   */
  add(ssmId: string, mutation: JsonObject, patient: Patient, observed: JsonObject): void {
    const added = addedToPlaced(mutation)
    this.#intake.written({
      dataset: 'ssms',
      id: ssmId,
      isMade: true,
      rank: RANKS.embedded,
      isDescribed: true,
      text: JSON.stringify(mutation),
      ending: added && endingOf(added),
    })
    this.#reportPatient(patient)
    const occurrenceId = nameUuid('ssm_occurrences', ssmId, patient.key)
    const said = JSON.stringify(observed)
    // Rows with different content are different observations. Equal rows are the same observation.
    const observationId = nameUuid(occurrenceId, said)
    const others = said === '{}' ? '}' : `,${said.slice(1)}`
    const caseId = JSON.stringify(patient.id.id)
    this.#intake.written({
      dataset: 'ssm_occurrences',
      id: occurrenceId,
      isMade: true,
      rank: RANKS.described,
      isDescribed: true,
      text: `{"ssm_occurrence_id":"${occurrenceId}","ssm":{"ssm_id":"${ssmId}"},"case":{"case_id":${caseId},"observation":[{"observation_id":"${observationId}"${others}]}}`,
      ending: '',
    })
  }

  #reportPatient({ link, id: known }: Patient): void {
    const key = `${known.id} ${link.submitter_id ?? ''}`
    if (this.#reportedPatients.has(key)) return
    if (this.#reportedPatients.size >= MAX_REMEMBERED) this.#reportedPatients.clear()
    this.#reportedPatients.add(key)
    const { case_id: caseId, ...others } = link
    this.#intake.part({
      dataset: 'cases',
      ...known,
      rank: RANKS.embedded,
      isDescribed: false,
      // The members are in the order that splitting a record gives.
      document: {
        ...(caseId !== undefined && { case_id: known.id }),
        ...others,
        available_variation_data: ['ssm'],
        case_id: known.id,
      },
    })
  }
}
