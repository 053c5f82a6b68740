import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from './durable.ts'
import { unlessAbsent } from './unless-absent.ts'

const NAME_FILE = 'place'
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Unique name of a folder, created on first use. All processes that share the folder read the same name, so that
 * servers that share a database but not a folder can distinguish their bytes.
 */
export class FolderName {
  readonly #root: string
  #name: Promise<string> | undefined

  constructor(root: string) {
    this.#root = root
  }

  read(): Promise<string> {
    this.#name ??= this.#read().catch((error) => {
      this.#name = undefined
      throw error
    })
    return this.#name
  }

  async #read(): Promise<string> {
    const path = join(this.#root, NAME_FILE)
    const known = await unlessAbsent(readFile(path, 'utf8'))
    if (known !== undefined && ID.test(known)) return known
    await writeDurably(this.#root, NAME_FILE, randomUUID())
    // If two processes start at the same time, both read the name that was written last.
    return readFile(path, 'utf8')
  }
}
