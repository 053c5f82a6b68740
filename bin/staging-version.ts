import type {
  LineSource,
  Staging,
  StagingAlgorithmVersion,
  StagingVersion,
} from '../engine/registry/index.ts'
import { type Caller, EngineError } from '../engine/shared/index.ts'
import { isObject, nearestOf, quotedName } from '../engine/shared/internal.ts'

/** Who may use the data folder may use all of it. */
const OPERATOR: Caller = { user: 'casemill stage', roles: new Set(['ADMIN']) }

/** Unknown keys that are told. */
const MAX_TOLD = 5

/** All versions of all algorithms. */
export function versionsOf({ catalogue }: Staging): readonly StagingAlgorithmVersion[] {
  return catalogue.algorithms().flatMap(({ algorithm }) => catalogue.versions(OPERATOR, algorithm))
}

/**
 * The version that options name.
 * @throws EngineError not_found that lists the versions that there are
 */
export function versionNamed(
  staging: Staging,
  { algorithm, version }: { readonly algorithm: string; readonly version: string },
): StagingVersion {
  const all = versionsOf(staging)
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

/** What there is to choose from, for a message. */
export function listed(versions: readonly StagingAlgorithmVersion[]): string {
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
      const unknown = [...keysIn(chunk)].filter((key) => !known.has(key)).slice(0, MAX_TOLD)
      for (const key of unknown) {
        warn(`no schema has an input ${quotedName(key)}${nearestOf(key, known)}`)
      }
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
