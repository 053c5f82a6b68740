import { nameUuid } from '../../shared/catalogue/uuid.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import type { Intake } from './intake.ts'
import type { Patient } from './specimens.ts'
import { RANKS } from './split-record.ts'

/** A sample in a table, with its patient. */
export interface Sample extends Patient {
  /** Member of an observation with the sample as named in the table. */
  readonly sample: JsonObject | undefined
}

const FORMS = {
  cnvs: { occurrences: 'cnv_occurrences', id: 'cnv_occurrence_id', at: 'cnv', by: 'cnv_id' },
  segment_cnvs: {
    occurrences: 'segment_cnv_occurrences',
    id: 'segment_cnv_occurrence_id',
    at: 'segment_cnv',
    by: 'segment_cnv_id',
  },
} as const

/** Maximum number of changes to remember as staged. Staging a change twice is harmless. */
const MAX_REMEMBERED = 100_000

/**
 * Stages copy number changes and their occurrences directly as documents. Records are not split, because tables
 * have millions of them.
 */
export class CopyNumberWriter {
  readonly #intake: Intake
  readonly #dataset: keyof typeof FORMS
  readonly #reportedChanges = new Set<string>()
  readonly #reportedSamples = new Set<Sample>()

  constructor(intake: Intake, dataset: keyof typeof FORMS) {
    this.#intake = intake
    this.#dataset = dataset
  }

  /**
   * Stages a change with its occurrence in a sample.
   * @param change document of the dataset, with its id
   * @param observed observation of this change in this sample
   */
  add(change: JsonObject, sample: Sample, observed: JsonObject): void {
    const { occurrences, id, at, by } = FORMS[this.#dataset]
    const changeId = String(change[by])
    this.#reportChange(changeId, change)
    this.measured(sample)
    const occurrenceId = nameUuid(occurrences, changeId, sample.key)
    this.#intake.part({
      dataset: occurrences,
      id: occurrenceId,
      isMade: true,
      rank: RANKS.described,
      isDescribed: true,
      document: {
        [id]: occurrenceId,
        [at]: { [by]: changeId },
        case: {
          case_id: sample.id.id,
          // Different observations are kept side by side. Equal observations have the same id.
          observation: [
            { observation_id: nameUuid(occurrenceId, JSON.stringify(observed)), ...observed },
          ],
        },
      },
    })
  }

  /** Marks a sample's case as having copy number data, even if all its values are neutral. */
  measured(sample: Sample): void {
    if (this.#reportedSamples.has(sample)) return
    this.#reportedSamples.add(sample)
    const { link, id: known } = sample
    this.#intake.part({
      dataset: 'cases',
      ...known,
      rank: RANKS.embedded,
      isDescribed: false,
      document: {
        ...link,
        case_id: known.id,
        available_variation_data: [FORMS[this.#dataset].at],
      },
    })
  }

  #reportChange(id: string, document: JsonObject): void {
    if (this.#reportedChanges.has(id)) return
    if (this.#reportedChanges.size >= MAX_REMEMBERED) this.#reportedChanges.clear()
    this.#reportedChanges.add(id)
    const dataset = this.#dataset
    this.#intake.part({
      dataset,
      id,
      isMade: true,
      rank: RANKS.embedded,
      isDescribed: true,
      document,
    })
  }
}
