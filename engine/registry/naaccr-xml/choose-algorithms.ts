import type { Caller } from '../../shared/access/roles.ts'
import { EngineError } from '../../shared/errors.ts'
import type { Staging } from '../staging/store/service.ts'
import type { StagingVersion } from '../staging/store/staging-version.ts'
import type { AlgorithmRule } from './algorithm-table.ts'

/** A version by which tumors are staged that one of its rules fits; without rules, all are. */
export interface ChosenVersion {
  readonly algorithm: string
  readonly version: StagingVersion
  readonly rules: readonly AlgorithmRule[]
}

/** The word for every algorithm of the table that is there. */
export const AUTO = 'auto'

/**
 * The versions that are there of the algorithms of a table, in its order; undefined where one is meant, whose
 * version has to be named.
 * @param algorithm names of those that are meant, joined by commas, or AUTO for all; left out, as AUTO where
 *   several are there
 * @throws EngineError not_found for a name, or where there is none at all
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

/** Names of versions that the caller may see, by algorithms that have any; `latest` where one is of production. */
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
