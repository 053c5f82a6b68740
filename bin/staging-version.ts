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

/** Who may use the data folder may use all of it. */
export const OPERATOR: Caller = { user: 'casemill stage', roles: new Set(['ADMIN']) }

/** All versions of all algorithms. */
export async function versionsOf({
  catalogue,
}: Staging): Promise<readonly StagingAlgorithmVersion[]> {
  const algorithms = await catalogue.algorithms()
  const versions = algorithms.map(({ algorithm }) => catalogue.versions(OPERATOR, algorithm))
  return (await Promise.all(versions)).flat()
}

/**
 * The version that options name.
 * @throws EngineError not_found that lists the versions that there are
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

/** The options that name a version. */
export function addVersionOptions(command: Command): Command {
  return command
    .option('--algorithm <name>', 'algorithm of the data folder, as staging list shows')
    .option('--version <name>', 'its version; latest is the newest production version')
}

/**
 * The version that a command's options name; without both, the command ends with what there is.
 * @throws EngineError as versionNamed
 */
export async function askedVersion(
  staging: Staging,
  { algorithm, version }: VersionOptions,
  command: Command,
): Promise<StagingVersion> {
  // Both are told at once, with what there is to choose from.
  if (algorithm === undefined || version === undefined) {
    const all = listed(await versionsOf(staging))
    return command.error(`give --algorithm NAME and --version NAME; ${all}`)
  }
  return versionNamed(staging, { algorithm, version })
}

/** What there is to choose from, for a message. */
function listed(versions: readonly StagingAlgorithmVersion[]): string {
  if (versions.length === 0) return 'there are none; casemill import staging loads some'
  return `there are: ${versions.map(({ algorithm, version }) => `${algorithm} ${version}`).join(', ')}`
}

/**
 * Lines as they come. Of the cases in their first chunk, keys that no schema has are told: a case
 * without a known site is answered before its other keys are looked at.
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

/** Keys of all objects on the lines of a chunk; what is none is answered by an error of its own. */
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
