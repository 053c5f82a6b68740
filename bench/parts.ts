import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A part of an input that is kept from run to run. */
interface Part {
  readonly path: string
  /** Stands for everything that the part was made from; goes into the keys of those made from it. */
  readonly key: string
}

interface PartRequest {
  readonly what: string
  /** What it is made from, besides the sources. */
  readonly before: string
  /** Files and folders of the checkout: when one of them changes, the part is made anew. */
  readonly sources: readonly string[]
  readonly make: (path: string) => Promise<void>
  /** Stands for what was made: what is made from it is kept as long as this is the same. */
  readonly contentKey?: (path: string) => Promise<string>
}

/** What is remembered of a part. */
interface Done {
  readonly seconds: number
  readonly contentKey?: string
}

const ROOT = join(import.meta.dirname, '..')

/** The parts in a folder; each is made when it is not there from an earlier run. */
export class Parts {
  /** What making each part took, in seconds; for orientation. */
  readonly seconds: Record<string, number> = {}
  readonly #folder: string
  readonly #note: (text: string) => void

  constructor(folder: string, note: (text: string) => void) {
    this.#folder = folder
    this.#note = note
  }

  async part({ what, before, sources, make, contentKey }: PartRequest): Promise<Part> {
    await mkdir(this.#folder, { recursive: true })
    const key = before + (await keyOf(sources))
    const path = join(this.#folder, `${what}-${digest(key)}`)
    const done = `${path}.done`
    if (!existsSync(done)) {
      this.#note(`making ${what}`)
      await this.#removeOthers(what)
      const start = performance.now()
      await make(path)
      const seconds = (performance.now() - start) / 1000
      const made: Done = { seconds, ...(contentKey && { contentKey: await contentKey(path) }) }
      await writeFile(done, JSON.stringify(made))
    }
    const made: Done = JSON.parse(await readFile(done, 'utf8'))
    this.seconds[what] = made.seconds
    return { path, key: made.contentKey ?? key }
  }

  /** What is left of an earlier version, or of a run that was cut short. */
  async #removeOthers(what: string): Promise<void> {
    for (const name of await readdir(this.#folder)) {
      if (!name.startsWith(`${what}-`)) continue
      await rm(join(this.#folder, name), { recursive: true, force: true })
    }
  }
}

/** What the source files say that a part is made by; comments and layout do not count. */
async function keyOf(places: readonly string[]): Promise<string> {
  const texts: string[] = []
  for (const place of places) {
    const path = join(ROOT, place)
    if (/\.\w+$/.test(place)) texts.push(await readFile(path, 'utf8'))
    else texts.push(...(await sourcesBelow(path)))
  }
  return digest(texts.map(bare).join())
}

async function sourcesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true })
  const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  return Promise.all(sources.sort().map((name) => readFile(join(folder, name), 'utf8')))
}

function bare(source: string): string {
  return source.replace(/^\s*(\/\/|\/?\*).*$/gm, '').replace(/[\s,]/g, '')
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
