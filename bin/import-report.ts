import type { ImportedBam } from '../engine/commons/index.ts'
import type { EngineError } from '../engine/shared/index.ts'
import { IssuesFound } from './frame.ts'
import type { Terminal } from './terminal.ts'

/** A file that was stored, in the report. */
interface StoredEntry extends Pick<ImportedBam, 'records' | 'known' | 'warnings'> {
  readonly path: string
  readonly id: string
  readonly md5: string
}

/** The report of an import of single files. */
interface FilesSummary {
  readonly dryRun: boolean
  readonly stored: readonly StoredEntry[]
  /** Why each of the other files is not stored. */
  readonly notStored: readonly string[]
}

/** Reports the result for each file on standard error, and collects the results. */
export class ImportReport {
  readonly #terminal: Terminal
  readonly #dryRun: boolean
  readonly #stored: StoredEntry[] = []
  readonly #failed: string[] = []

  constructor(terminal: Terminal, { dryRun }: { readonly dryRun: boolean }) {
    this.#terminal = terminal
    this.#dryRun = dryRun
  }

  stored(path: string, { file, records, known, warnings }: ImportedBam): void {
    this.#stored.push({ path, id: file.id, md5: file.md5, records, known, warnings })
    for (const warning of warnings) {
      this.#terminal.explain(`casemill: warning: ${file.fileName}: ${warning}`)
    }
    const before = known ? ', was stored before' : ''
    this.#terminal.explain(`${file.fileName}: ${records} records, md5 ${file.md5}${before}`)
  }

  failed({ message }: Pick<EngineError, 'message'>): void {
    this.#failed.push(message)
    this.#terminal.explain(`casemill: ${message}`)
  }

  summary(): FilesSummary {
    return { dryRun: this.#dryRun, stored: this.#stored, notStored: this.#failed }
  }

  /**
   * Prints a summary.
   * @throws IssuesFound unless all files are stored
   */
  end(areSeveral: boolean): void {
    const [stored, failed] = [this.#stored.length, this.#failed.length]
    const verb = this.#dryRun ? 'would store' : 'stored'
    if (areSeveral) this.#terminal.explain(`${verb} ${stored} of ${stored + failed} files`)
    if (failed > 0) throw new IssuesFound(`${failed} not stored`)
  }
}
