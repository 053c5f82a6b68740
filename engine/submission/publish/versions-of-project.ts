import type { FileVersion } from '../../commons/files/versions/step.ts'
import type { Intake } from '../../commons/import/intake.ts'
import { RANKS } from '../../commons/import/split-record.ts'
import type { Rows } from '../../shared/database/database.ts'
import { REDACTED, type StoredEntity, wasReleased } from '../transactions/graph.ts'
import { entitiesById, successionsOf } from '../transactions/store/entities.ts'
import { RELEASED } from './entity-document.ts'

/** Ids of versions of files that a submitted one took the place of, and of that one. */
export type Successors = ReadonlyMap<string, string>

export async function successorsOf(rows: Rows, projectId: string): Promise<Successors> {
  const all = await successionsOf(rows, projectId)
  return new Map(all.map(({ id, supersedes }) => [supersedes, id]))
}

/**
 * Puts the former versions of a project's files into the history. One that was replaced before it
 * could be released is passed over: each release has one version of a file.
 * @param release number of the one that is made, where a version that is new in it comes
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
    // What the release knows of a step that was taken before counts more.
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
