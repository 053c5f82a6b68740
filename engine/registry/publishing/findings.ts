import type { Issue } from '../../shared/issue.ts'
import type { RecordContent } from './definition.ts'
import type { PublishingRepository } from './repository.ts'
import { fingerprintOf } from './states.ts'
import { DEVELOPMENT, LATEST, type StoredRecord } from './stored.ts'
import type { PublishingSources } from './versions.ts'

/** What is wrong with the records of all versions, which no edit leaves so; step by step. */
export function* recordFindings<Content extends RecordContent>({
  repository,
  definition,
}: PublishingSources<Content>): Generator<void, Issue[]> {
  const findings: Issue[] = []
  for (const { version } of repository.versions()) {
    for (const id of repository.ids(version)) {
      const stored = repository.record(version, id)
      const problem = stored && findProblem(repository, version, stored)
      const subject = `${definition.area} ${version} ${id}`
      if (problem !== undefined) findings.push({ subject, problem })
      yield
    }
  }
  return findings
}

function findProblem(
  repository: PublishingRepository,
  version: string,
  { id, document, fingerprint, hidden }: StoredRecord,
): string | undefined {
  if (fingerprintOf(document) !== fingerprint) return 'its content is not what was stored'
  if (version !== LATEST) return undefined
  const development = repository.item(DEVELOPMENT, id)
  if (!development) return 'it is published, but not in development'
  return development.hidden === hidden ? undefined : 'one copy says that it is hidden, one does not'
}
