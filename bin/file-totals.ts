import type { Counted } from '../engine/registry/index.ts'
import type { Terminal } from './terminal.ts'

interface SummedFile {
  readonly patients: number
  readonly tumors: number
  readonly counts: readonly Counted[]
}

/** Sums of the summaries of several registry files. */
export class FileTotals {
  readonly #kinds: Readonly<Record<string, string>>
  readonly #first = new Map<string, number>()
  readonly #counts = new Map<string, number>()
  readonly #firstName: (counted: Counted) => string | undefined
  #files = 0
  #patients = 0
  #tumors = 0

  /**
   * @param kinds descriptions of the kinds of counts; others are not printed
   * @param firstName name of the sum that a count belongs to, of those that come first; by default none
   */
  constructor(
    kinds: Readonly<Record<string, string>>,
    firstName: (counted: Counted) => string | undefined = () => undefined,
  ) {
    this.#kinds = kinds
    this.#firstName = firstName
  }

  add({ patients, tumors, counts }: SummedFile): void {
    this.#files++
    this.#patients += patients
    this.#tumors += tumors
    for (const counted of counts) {
      const first = this.#firstName(counted)
      const [sums, name] = first === undefined ? [this.#counts, counted.kind] : [this.#first, first]
      sums.set(name, (sums.get(name) ?? 0) + counted.count)
    }
  }

  explain(terminal: Terminal): void {
    const of = `${this.#patients} patients with ${this.#tumors} tumors`
    terminal.explain(`casemill: all ${this.#files} files: ${of}`)
    for (const [name, count] of this.#first) terminal.explain(`  ${name}: ${count}`)
    for (const [kind, what] of Object.entries(this.#kinds)) {
      const count = this.#counts.get(kind)
      if (count !== undefined) terminal.explain(`  ${what}: ${count}`)
    }
  }
}
