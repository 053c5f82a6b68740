import { Counts, type Found } from '../ndjson-batch/counts.ts'
import type { Patient } from './model.ts'
import type { OpenedFile } from './opened-file.ts'
import type { WrittenPatient } from './result-items.ts'
import { type Owned, withResults } from './with-results.ts'

/** A file that is written back with results, as these come. Holds the patients that are under way. */
export class WrittenFile {
  /** Results that could not be written, and values that were removed. */
  readonly counts = new Counts()
  readonly #file: OpenedFile
  readonly #owned: Owned
  readonly #waiting: Patient[] = []
  #isCut = false

  constructor(file: OpenedFile, owned: Owned) {
    this.#file = file
    this.#owned = owned
  }

  add(patients: readonly Patient[]): void {
    this.#waiting.push(...patients)
  }

  /** Says that the file ends behind the patients that were added, whatever more there is of it. */
  cut(): void {
    this.#isCut = true
  }

  /** @param answers a line for each patient that was added: items of it and its tumors, or an error */
  async *of(answers: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    const decoder = new TextDecoder()
    let begun = ''
    for await (const bytes of answers) {
      const lines = (begun + decoder.decode(bytes, { stream: true })).split('\n')
      begun = lines.pop() ?? ''
      const parts = lines.map((line) => this.#next(line))
      if (parts.length > 0) yield Buffer.from(parts.join(''))
    }
    const { prefix } = this.#file
    yield Buffer.from(this.#isCut ? `\n</${prefix}NaaccrData>\n` : this.#file.rest())
  }

  #next(line: string): string {
    const patient = this.#waiting.shift()
    const source = patient?.source
    if (!source) throw new Error('there is an answer without its patient')
    const results = JSON.parse(line) as WrittenPatient | { readonly error: unknown }
    // Of a patient that is answered by an error nothing is changed.
    if ('error' in results) return source.text
    const { definitions, prefix, head } = this.#file
    const file = { definitions, prefix, recordType: head.recordType, owned: this.#owned }
    const count = (found: Found) => this.counts.add(found)
    return withResults({ ...patient, source }, results, file, count)
  }
}
