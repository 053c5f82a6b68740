import { createHash } from 'node:crypto'
import type { HematopoieticData } from './hematopoietic-data.ts'
import type { TableRepository } from './repository.ts'
import { Rules } from './rules.ts'
import { shippedHematopoietic } from './shipped-hematopoietic.ts'

/** The tables as threads are given them; copied by none of them. */
export interface TablesText {
  /** Says what they hold. */
  readonly key: string
  /** UTF-8 in shared memory; left out, the tables of the program. */
  readonly bytes?: Uint8Array<SharedArrayBuffer>
}

interface Compiled {
  readonly revision: number
  readonly rules: Rules
  readonly text: TablesText
}

/**
 * The rules over the tables that are in use. Each look asks the database for the revision alone,
 * some microseconds, so that an import of another process counts from the next request on.
 */
export class CurrentRules {
  readonly #repository: TableRepository
  readonly #yearNow: () => number
  #compiled: Compiled | undefined

  constructor(repository: TableRepository, yearNow: () => number) {
    this.#repository = repository
    this.#yearNow = yearNow
  }

  async rules(): Promise<Rules> {
    return (await this.#current()).rules
  }

  /** For threads, with the year that they compare in. */
  async given(): Promise<{ readonly tables: TablesText; readonly year: number }> {
    return { tables: (await this.#current()).text, year: this.#yearNow() }
  }

  async #current(): Promise<Compiled> {
    const known = this.#compiled
    if (known && known.revision === (await this.#repository.revision())) return known
    const { revision, document } = await this.#repository.read()
    if (this.#compiled?.revision === revision) return this.#compiled
    const text = document === null ? SHIPPED : textOf(document)
    this.#compiled = { revision, text, rules: compileRules(text, this.#yearNow) }
    return this.#compiled
  }
}

/** Some milliseconds of work. */
export function compileRules(text: TablesText, yearNow: () => number): Rules {
  return new Rules({ hematopoietic: readTables(text), yearNow })
}

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
