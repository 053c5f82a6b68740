import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Issue } from '../../shared/issue.ts'
import type { RecordContent } from './definition.ts'
import type { PublishingReads } from './repository.ts'
import { fingerprintOf } from './states.ts'
import { DEVELOPMENT, LATEST, type StoredRecord } from './stored.ts'
import type { PublishingSources } from './versions.ts'

/** Yields inconsistencies in the records of all versions, which no edit should leave. */
export async function* recordFindings<Content extends RecordContent>({
  repository,
  definition,
}: PublishingSources<Content>): AsyncGenerator<Issue> {
  const turns = new LoopTurns()
  for (const { version } of await repository.versions()) {
    const ids = await repository.ids(version)
    for await (const [id, stored] of repository.eachRecord(version, ids)) {
      const problem = stored && (await findProblem(repository, version, stored))
      const subject = `${definition.area} ${version} ${id}`
      if (problem !== undefined) yield { subject, problem }
      await turns.pause()
    }
  }
}

async function findProblem(
  repository: PublishingReads,
  version: string,
  { id, document, fingerprint, hidden }: StoredRecord,
): Promise<string | undefined> {
  if (fingerprintOf(document) !== fingerprint) return 'its content is not what was stored'
  if (version !== LATEST) return undefined
  const development = await repository.item(DEVELOPMENT, id)
  if (!development) return 'it is published, but not in development'
  return development.hidden === hidden ? undefined : 'one copy is hidden, the other is not'
}
