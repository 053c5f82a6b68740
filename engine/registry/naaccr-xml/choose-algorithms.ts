import type { Caller } from '../../shared/access/roles.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Staging } from '../staging/store/service.ts'
import type { StagingVersion } from '../staging/store/staging-version.ts'
import type { AlgorithmRule } from './algorithm-table.ts'

/** A version that stages the tumors matched by one of its rules, or all tumors if it has no rules. */
export interface ChosenVersion {
  readonly algorithm: string
  readonly version: StagingVersion
  readonly rules: readonly AlgorithmRule[]
}

/** Selects every available algorithm of the table. */
export const AUTO = 'auto'

/**
 * Returns the available versions of the table's algorithms in table order, or undefined if a single algorithm
 * is meant whose version must be named.
 * @param algorithm comma-separated names, or AUTO for all; defaults to AUTO if several are available
 * @throws EngineError `not_found` for an unknown name, or if none is available
 */
export async function chooseAlgorithms(
  staging: Pick<Staging, 'catalogue' | 'version'>,
  caller: Caller,
  {
    rules,
    algorithm: asked,
  }: { readonly rules: readonly AlgorithmRule[]; readonly algorithm: string | undefined },
): Promise<readonly ChosenVersion[] | undefined> {
  const names = asked === undefined || asked === AUTO ? undefined : asked.split(',')
  const there = await versionsThere(staging, caller)
  if (asked === undefined ? there.size < 2 : names?.length === 1) return undefined
  const unknown = names?.find((name) => !there.has(name))
  const listed = [...there.keys()].join(', ') || 'none'
  if (unknown !== undefined) {
    throw new EngineError('not_found', `there is no algorithm "${unknown}"; there are: ${listed}`)
  }
  const meant = rules.filter(
    ({ algorithm, version }) =>
      there.get(algorithm)?.has(version) && (names?.includes(algorithm) ?? true),
  )
  const others = (names ?? []).filter((name) => meant.every(({ algorithm }) => algorithm !== name))
  const wanted = [
    ...meant.map(({ algorithm, version }) => ({ algorithm, version })),
    ...others.map((algorithm) => ({ algorithm, version: 'latest' })),
  ]
  const chosen = new Map<string, ChosenVersion>()
  for (const { algorithm, version } of wanted) {
    const own = meant.filter((rule) => rule.algorithm === algorithm && rule.version === version)
    const by = staging.version(caller, { algorithm, version })
    chosen.set(`${algorithm} ${version}`, { algorithm, version: by, rules: own })
  }
  if (chosen.size === 0) {
    const message = `the table of algorithms has none of those that there are: ${listed}`
    throw new EngineError('not_found', message)
  }
  return [...chosen.values()]
}

/** Returns the versions visible to the caller by algorithm, with `latest` if one is in production. */
async function versionsThere(
  { catalogue }: Pick<Staging, 'catalogue'>,
  caller: Caller,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const there = new Map<string, ReadonlySet<string>>()
  for (const { algorithm } of await catalogue.algorithms()) {
    const versions = await catalogue.versions(caller, algorithm)
    const isLatest = versions.some(({ type }) => type === 'PRODUCTION')
    const names = [...versions.map(({ version }) => version), ...(isLatest ? ['latest'] : [])]
    if (names.length > 0) there.set(algorithm, new Set(names))
  }
  return there
}
