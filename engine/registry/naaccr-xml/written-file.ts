import { Counts, type Found } from '../ndjson-batch/counts.ts'
import type { Patient } from './model.ts'
import type { OpenedFile } from './opened-file.ts'
import type { WrittenPatient } from './result-items.ts'
import { type Owned, withResults } from './with-results.ts'

/**
 * Writes a file back with its results as they arrive. It holds the patients that are still being processed.
 */
export class WrittenFile {
  /** Counts results that could not be written and values that were removed. */
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

  /** Ends the file after the patients added so far, dropping the rest. */
  cut(): void {
    this.#isCut = true
  }

  /**
   * Yields the text of the file.
   * @param answers one line per added patient: items of it and its tumors, or an error
   */
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
    // A patient that is answered with an error is copied unchanged.
    if ('error' in results) return source.text
    const { definitions, prefix, head } = this.#file
    const file = { definitions, prefix, recordType: head.recordType, owned: this.#owned }
    const count = (found: Found) => this.counts.add(found)
    return withResults({ ...patient, source }, results, file, count)
  }
}
