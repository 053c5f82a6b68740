import { join } from 'node:path'
import type { Release } from '../release/release.ts'
import { checkFile } from '../release/verify.ts'

/** Damage messages of a served release, keyed by file path. */
type ReleaseDamage = ReadonlyMap<string, string>

/** Maximum number of messages to show, so that a response stays small. */
const MAX_SHOWN = 20

/** Returns the damage of a release that was just opened: errors found now, and earlier ones that persist. */
export async function damageOf(
  release: Release,
  folder: string,
  found: ReleaseDamage,
): Promise<Map<string, string>> {
  const damage = new Map(release.errors.map(({ at = '', message }) => [at, message]))
  for (const [path, message] of found) {
    const written = release.manifest.files[path]
    if (damage.has(path) || !written) continue
    if ((await checkFile(join(folder, path), written)) !== undefined) damage.set(path, message)
  }
  return damage
}

export function isSameDamage(one: ReleaseDamage, other: ReleaseDamage): boolean {
  return one.size === other.size && [...one.keys()].every((path) => other.has(path))
}

/** Returns one text per problem, up to a limit. */
export function problemsOf(damage: ReleaseDamage): readonly string[] {
  const problems = [...damage.values()]
  const hidden = problems.length - MAX_SHOWN
  if (hidden <= 0) return problems
  return [...problems.slice(0, MAX_SHOWN), `${hidden} more; casemill check lists them`]
}
