import type { Command } from 'commander'
import type {
  LineSource,
  Staging,
  StagingAlgorithmVersion,
  StagingVersion,
} from '../engine/registry/index.ts'
import { unknownInputs } from '../engine/registry/internal.ts'
import { type Caller, EngineError } from '../engine/shared/index.ts'
import { isObject, nearestOf, quotedName } from '../engine/shared/internal.ts'

/** The caller that commands use. A user of the data folder has all rights on it. */
export const OPERATOR: Caller = { user: 'casemill stage', roles: new Set(['ADMIN']) }

/** Returns all versions of all algorithms. */
export async function versionsOf({
  catalogue,
}: Staging): Promise<readonly StagingAlgorithmVersion[]> {
  const algorithms = await catalogue.algorithms()
  const versions = algorithms.map(({ algorithm }) => catalogue.versions(OPERATOR, algorithm))
  return (await Promise.all(versions)).flat()
}

/**
 * Returns the named version.
 * @throws EngineError `not_found` that lists the existing versions
 */
async function versionNamed(
  staging: Staging,
  { algorithm, version }: { readonly algorithm: string; readonly version: string },
): Promise<StagingVersion> {
  const all = await versionsOf(staging)
  const versions = all.filter((each) => each.algorithm === algorithm).map((each) => each.version)
  const isThere =
    versions.includes(version) ||
    (version === 'latest' &&
      all.some((each) => each.algorithm === algorithm && each.type === 'PRODUCTION'))
  if (isThere) return staging.version(OPERATOR, { algorithm, version })
  const names = [...new Set(all.map((each) => each.algorithm))]
  const [what, name, known] =
    versions.length === 0
      ? ['there is no algorithm', algorithm, names]
      : [`algorithm ${quotedName(algorithm)} has no version`, version, versions]
  throw new EngineError(
    'not_found',
    `${what} ${quotedName(name)}; ${listed(all)}${nearestOf(name, known)}`,
  )
}

export interface VersionOptions {
  readonly algorithm?: string
  readonly version?: string
}

/** Adds the options that name a version. */
export function addVersionOptions(command: Command): Command {
  return command
    .option('--algorithm <name>', 'name of the algorithm from casemill staging list')
    .option('--version <name>', 'version of the algorithm; latest is the newest production version')
}

/**
 * Returns the version that the options of a command name. If both options are missing, lists what exists and
 * exits.
 * @throws EngineError like versionNamed
 */
export async function requestedVersion(
  staging: Staging,
  { algorithm, version }: VersionOptions,
  command: Command,
): Promise<StagingVersion> {
  // If both options are missing, both are reported at once, with the choices.
  if (algorithm === undefined || version === undefined) {
    const all = listed(await versionsOf(staging))
    return command.error(`give --algorithm NAME and --version NAME; ${all}`)
  }
  return versionNamed(staging, { algorithm, version })
}

/** Lists the existing versions for a message. */
function listed(versions: readonly StagingAlgorithmVersion[]): string {
  if (versions.length === 0) return 'there are none; casemill import staging loads some'
  return `there are: ${versions.map(({ algorithm, version }) => `${algorithm} ${version}`).join(', ')}`
}

/**
 * Passes lines on unchanged, and warns about unknown keys in the first chunk. Staging itself does not check the
 * keys of a case without a valid site.
 */
export async function* withKeysChecked(
  lines: LineSource,
  version: StagingVersion,
  warn: (sentence: string) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  let isFirst = true
  for await (const chunk of lines) {
    if (isFirst) {
      const known = await version.inputKeys()
      for (const sentence of unknownInputs(keysIn(chunk), known)) warn(sentence)
    }
    isFirst = false
    yield chunk
  }
}

/** Returns the keys of all objects in a chunk of lines. Invalid lines are skipped; staging reports them. */
function keysIn(chunk: Uint8Array): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const line of new TextDecoder().decode(chunk).split('\n')) {
    const value = parsed(line)
    if (isObject(value)) for (const key of Object.keys(value)) keys.add(key)
  }
  return keys
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
