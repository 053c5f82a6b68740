import type { ImportedBam } from '../engine/commons/index.ts'
import type { EngineError } from '../engine/shared/index.ts'
import { IssuesFound } from './frame.ts'
import type { Terminal } from './terminal.ts'

/** Reports the result for each file on standard error. */
export class ImportReport {
  readonly #terminal: Terminal
  #stored = 0
  #failed = 0

  constructor(terminal: Terminal) {
    this.#terminal = terminal
  }

  stored({ file, records, known, warnings }: ImportedBam): void {
    this.#stored++
    for (const warning of warnings) {
      this.#terminal.explain(`casemill: warning: ${file.fileName}: ${warning}`)
    }
    const before = known ? ', was stored before' : ''
    this.#terminal.explain(`${file.fileName}: ${records} records, md5 ${file.md5}${before}`)
  }

  failed({ message }: Pick<EngineError, 'message'>): void {
    this.#failed++
    this.#terminal.explain(`casemill: ${message}`)
  }

  /**
   * Prints a summary.
   * @throws IssuesFound if not all files are stored
   */
  end(areSeveral: boolean): void {
    const given = this.#stored + this.#failed
    if (areSeveral) this.#terminal.explain(`stored ${this.#stored} of ${given} files`)
    if (this.#failed > 0) throw new IssuesFound(`${this.#failed} not stored`)
  }
}
