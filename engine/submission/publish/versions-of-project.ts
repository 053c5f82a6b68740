import type { FileVersion } from '../../commons/files/versions/step.ts'
import type { Intake } from '../../commons/import/intake.ts'
import { RANKS } from '../../commons/import/split-record.ts'
import type { Rows } from '../../shared/database/database.ts'
import { REDACTED, type StoredEntity, wasReleased } from '../transactions/graph.ts'
import { entitiesById, successionsOf } from '../transactions/store/entities.ts'
import { RELEASED } from './entity-document.ts'

/** Ids of superseded file versions, each with the id of its successor. */
export type Successors = ReadonlyMap<string, string>

/** Returns the superseded file versions of a project with their successors. */
export async function successorsOf(rows: Rows, projectId: string): Promise<Successors> {
  const all = await successionsOf(rows, projectId)
  return new Map(all.map(({ id, supersedes }) => [supersedes, id]))
}

/**
 * Adds the former versions of a project's files to the history. A version that was superseded before it was
 * released is skipped, because each release has one version per file.
 * @param release number of the new release, in which the new versions appear
 */
export async function takeVersions(
  rows: Rows,
  successors: Successors,
  { intake, release }: { readonly intake: Intake; readonly release: string },
): Promise<number> {
  const ids = [...successors].flat()
  const versions = new Map((await entitiesById(rows, ids)).map((one) => [one.id, one]))
  let steps = 0
  for (const id of successors.keys()) {
    const former = versions.get(id)
    if (!former || !wasReleased(former)) continue
    const next = nextOf(former, successors, versions)
    if (!next) continue
    const step = {
      ...factsOf(former),
      version: String(former.version),
      state: former.state === REDACTED ? REDACTED : RELEASED,
      release,
      next: factsOf(next),
    }
    // If the release's own history has an earlier version, that takes precedence over this step.
    intake.step(step, RANKS.hearsay)
    steps++
  }
  return steps
}

function nextOf(
  { id }: StoredEntity,
  successors: Successors,
  versions: ReadonlyMap<string, StoredEntity>,
): StoredEntity | undefined {
  for (let next = successors.get(id); next !== undefined; next = successors.get(next)) {
    const version = versions.get(next)
    if (!successors.has(next) || (version && wasReleased(version))) return version
  }
  return undefined
}

function factsOf({ id, properties }: StoredEntity): FileVersion {
  const { file_name: name, md5sum, file_size: size } = properties
  return {
    id,
    ...(typeof name === 'string' && { filename: name }),
    ...(typeof md5sum === 'string' && { md5: md5sum }),
    ...(size !== undefined && { size: Number(size) }),
  }
}
