import { createHash } from 'node:crypto'
import type { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { HematopoieticData } from './hematopoietic-data.ts'
import type { TableRepository } from './repository.ts'
import { Rules } from './rules.ts'
import { shippedHematopoietic } from './shipped-hematopoietic.ts'

/** The tables as text, in the form in which threads share them without copying. */
export interface TablesText {
  /** Key that identifies the contents. */
  readonly key: string
  /** UTF-8 JSON in shared memory. Defaults to the tables shipped with the program. */
  readonly bytes?: Uint8Array<SharedArrayBuffer>
}

interface Compiled {
  readonly revision: number
  readonly rules: Rules
  readonly text: TablesText
}

/**
 * Compiles the rules from the current tables. Each access queries the revision of the tables, which takes
 * microseconds, so that an import by another process takes effect with the next request.
 */
export class CurrentRules {
  readonly #repository: TableRepository
  readonly #yearNow: () => number
  readonly #turns: LoopTurns
  #compiled: Compiled | undefined

  constructor(repository: TableRepository, yearNow: () => number, turns: LoopTurns) {
    this.#repository = repository
    this.#yearNow = yearNow
    this.#turns = turns
  }

  async rules(): Promise<Rules> {
    return (await this.#current()).rules
  }

  /** Returns the tables and the current year for threads. */
  async given(): Promise<{ readonly tables: TablesText; readonly year: number }> {
    return { tables: (await this.#current()).text, year: this.#yearNow() }
  }

  async #current(): Promise<Compiled> {
    const known = this.#compiled
    if (known && known.revision === (await this.#repository.revision())) return known
    const { revision, document } = await this.#repository.read()
    if (this.#compiled?.revision === revision) return this.#compiled
    const text = document === null ? SHIPPED : textOf(document)
    const hematopoietic = readTables(text)
    // Reading and compiling take 20 ms each at first.
    await this.#turns.next()
    if (this.#compiled?.revision === revision) return this.#compiled
    this.#compiled = { revision, text, rules: new Rules({ hematopoietic, yearNow: this.#yearNow }) }
    return this.#compiled
  }
}

/** Compiles the rules, which takes a few milliseconds. */
export function compileRules(text: TablesText, yearNow: () => number): Rules {
  return new Rules({ hematopoietic: readTables(text), yearNow })
}

/** Parses stored hematopoietic tables. If there is no document, returns the tables in the package. */
export function parseTables(document: string | null): HematopoieticData {
  return document === null ? shippedHematopoietic() : (JSON.parse(document) as HematopoieticData)
}

function readTables({ bytes }: TablesText): HematopoieticData {
  return parseTables(bytes ? Buffer.from(bytes.buffer).toString() : null)
}

const SHIPPED: TablesText = Object.freeze({ key: 'shipped' })

function textOf(document: string): TablesText {
  const bytes = new Uint8Array(new SharedArrayBuffer(Buffer.byteLength(document)))
  Buffer.from(bytes.buffer).write(document)
  return { key: createHash('sha256').update(document).digest('hex'), bytes }
}
