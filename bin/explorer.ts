import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'

interface Places {
  /** Folder of the explorer: built in a package, sources in a checkout. */
  readonly explorer: string
  readonly bundler: string
  /** Lock file with the versions of its libraries. */
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

/** Time limit of a build in milliseconds. A build takes a second, or longer on a busy machine. */
const MAX_MILLISECONDS = 60_000

/**
 * Returns the folder with the explorer's scripts and styles. In a checkout, they are built when their sources
 * have changed. The build runs in a separate process, so that its memory use and failures do not affect the
 * service.
 * @throws Error if the build fails; the service then runs without the explorer
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

/** Returns a hash of everything that a bundle depends on. */
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
