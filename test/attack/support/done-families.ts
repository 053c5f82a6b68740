import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** The result of a family. */
interface DoneFamily {
  /** The number of inputs that were sent, alone and at once. */
  readonly inputs: number
  /** The worst of each figure. */
  readonly worst: string
}

interface Done {
  readonly requests: number
  readonly families: Readonly<Record<string, DoneFamily>>
}

/** The families that earlier parts of a run have tested, stored in a file if one is given. */
export class DoneFamilies {
  readonly #path: string | undefined
  #done: Done = { requests: 0, families: {} }

  constructor(path: string | undefined) {
    this.#path = path
    if (path !== undefined && existsSync(path)) {
      this.#done = JSON.parse(readFileSync(path, 'utf8')) as Done
    }
  }

  /** The number of requests in all parts of the long run. */
  get requests(): number {
    return this.#done.requests
  }

  has(name: string): boolean {
    return Object.hasOwn(this.#done.families, name)
  }

  add(name: string, family: DoneFamily): void {
    this.#write({ ...this.#done, families: { ...this.#done.families, [name]: family } })
  }

  count(requests: number): void {
    this.#write({ ...this.#done, requests: this.#done.requests + requests })
  }

  #write(done: Done): void {
    this.#done = done
    if (this.#path === undefined) return
    // Renaming keeps the file intact if the run is killed.
    writeFileSync(`${this.#path}.part`, JSON.stringify(done, undefined, 1))
    renameSync(`${this.#path}.part`, this.#path)
  }
}
