import {
  type FileSummary,
  type RefusedPatient,
  type SendProgress,
  type SentFile,
  sendRegistryFile,
} from './registry-file.ts'
import { MAX_FAILURES } from './stage-file.ts'

interface Edit {
  readonly number: string
  readonly name: string
  readonly message: string
  readonly line: number
  readonly items: readonly string[]
}

/** Answer of `/rest/naaccr/edits` for a patient. */
interface EditedPatient {
  readonly line: number
  readonly patientIdNumber?: string
  readonly edits: readonly Edit[]
  readonly tumors: readonly {
    readonly tumorRecordNumber?: string
    readonly edits: readonly Edit[]
  }[]
}

/** An edit that a patient or a tumor does not pass, or a patient that was refused. */
interface FailedEdit extends Edit {
  readonly patient: string
  readonly tumor: string
}

/** An edit with the number of times that it was not passed. */
export interface EditCount {
  readonly number: string
  readonly name: string
  readonly count: number
}

export interface EditProgress extends SendProgress {
  readonly patients: number
  readonly tumors: number
  /** Tumors that pass all edits. */
  readonly passed: number
  readonly counts: readonly EditCount[]
  /** The first edits that were not passed. */
  readonly failures: readonly FailedEdit[]
  /** The answers of the service, as JSON lines. */
  readonly answers: Blob
  /** At the end. */
  readonly summary?: EditSummary
}

interface EditSummary extends FileSummary {
  readonly rules: number
  readonly notApplied: readonly string[]
  readonly codedItems: number
}

interface EditFile extends Pick<SentFile, 'service' | 'file' | 'signal'> {
  readonly onProgress: (progress: EditProgress) => void
}

/**
 * Runs the edits of the service on a registry file.
 * @returns the final counts
 * @throws Error as sendRegistryFile
 */
export async function editFile({ onProgress, ...sent }: EditFile): Promise<EditProgress> {
  const tally = new EditTally()
  let answers = new Blob([])
  let at: SendProgress = { step: 'sending', bytes: 0 }
  let summary: EditSummary | undefined
  const tell = () => {
    const progress = { ...at, ...tally.progress(), answers, ...(summary && { summary }) }
    onProgress(progress)
    return progress
  }
  const parts = sendRegistryFile<EditedPatient>({
    ...sent,
    path: '/rest/naaccr/edits',
    query: {},
    onProgress: (progress) => {
      at = progress
      tell()
    },
  })
  for await (const part of parts) {
    for (const patient of part.patients) tally.add(patient)
    answers = new Blob([answers, part.text])
    summary = part.summary as EditSummary | undefined
    tell()
  }
  at = { ...at, bytes: sent.file.size }
  return tell()
}

const REFUSED = { number: '', name: 'patient not accepted', items: [] } as const

class EditTally {
  readonly #counts = new Map<string, { name: string; count: number }>()
  readonly #failures: FailedEdit[] = []
  #patients = 0
  #tumors = 0
  #passed = 0

  add(patient: EditedPatient | RefusedPatient): void {
    this.#patients++
    const { line } = patient
    if ('error' in patient) {
      const { message } = patient.error
      this.#fail({ ...REFUSED, message, line, patient: '', tumor: '' })
      return
    }
    const { patientIdNumber: id = '', edits, tumors } = patient
    for (const edit of edits) this.#fail({ ...edit, patient: id, tumor: '' })
    for (const { tumorRecordNumber: tumor = '', edits: own } of tumors) {
      this.#tumors++
      if (own.length === 0) this.#passed++
      for (const edit of own) this.#fail({ ...edit, patient: id, tumor })
    }
  }

  progress() {
    const counts = [...this.#counts].map(([number, one]) => ({ number, ...one }))
    return {
      patients: this.#patients,
      tumors: this.#tumors,
      passed: this.#passed,
      counts: counts.toSorted((one, other) => other.count - one.count),
      failures: [...this.#failures],
    }
  }

  #fail(failed: FailedEdit): void {
    const { number, name } = failed
    const known = this.#counts.get(number) ?? { name, count: 0 }
    known.count++
    this.#counts.set(number, known)
    if (this.#failures.length < MAX_FAILURES) this.#failures.push(failed)
  }
}

/** Columns of the saved table of edits. */
export const EDIT_COLUMNS = [
  { title: 'Line', value: ({ line }: FailedEdit) => line },
  { title: 'Patient', value: ({ patient }: FailedEdit) => patient },
  { title: 'Tumor', value: ({ tumor }: FailedEdit) => tumor },
  { title: 'Edit', value: ({ number }: FailedEdit) => number },
  { title: 'Name', value: ({ name }: FailedEdit) => name },
  { title: 'Message', value: ({ message }: FailedEdit) => message },
  { title: 'Items', value: ({ items }: FailedEdit) => items.join(', ') },
] as const
