import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'

interface Places {
  /** A package has the explorer made there; a checkout has its sources. */
  readonly explorer: string
  readonly bundler: string
  /** Names the libraries in it. */
  readonly lockfile: string
  readonly cache: string
}

const at = (path: string) => join(import.meta.dirname, '..', path)

const PLACES: Places = {
  explorer: at('explorer'),
  bundler: at('tools/explorer/bundle.ts'),
  lockfile: at('package-lock.json'),
  cache: at('node_modules/.cache/casemill/explorer'),
}

/** It takes a second; a machine that is busy may take longer. */
const MAX_MILLISECONDS = 60_000

/**
 * The folder of the explorer's scripts and styles. In a checkout they are made when its sources
 * have changed, by a process of its own: neither its memory nor its failure is the service's.
 * @throws Error when they cannot be made; the service does without the explorer then
 */
export async function explorerFolder(signal: AbortSignal, places = PLACES): Promise<string> {
  const { explorer, bundler, cache } = places
  if (await isThere(join(explorer, 'bundle.json'))) return explorer
  const folder = join(cache, await sourcesHash(places))
  if (await isThere(join(folder, 'bundle.json'))) return folder
  await promisify(execFile)(process.execPath, [bundler, explorer, folder], {
    signal,
    timeout: MAX_MILLISECONDS,
  })
  return folder
}

/** Of all that a bundle is made of. */
async function sourcesHash({ explorer, bundler, lockfile }: Places): Promise<string> {
  const hash = createHash('sha256')
  const inside = await readdir(explorer, { recursive: true, withFileTypes: true })
  const names = inside
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  for (const name of [...names, bundler, lockfile]) {
    hash.update(`${relative(explorer, name)}\0`).update(await readFile(name))
  }
  return hash.digest('hex').slice(0, 32)
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )
