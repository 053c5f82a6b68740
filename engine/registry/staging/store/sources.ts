import type { LoopTurns } from '../../../shared/concurrency/loop-turns.ts'
import type { LineBatches } from '../../ndjson-batch/line-batches.ts'
import type { GlossaryLookup, GlossaryMatch } from '../algorithm/glossary.ts'
import type { LoadedVersions } from './loaded-versions.ts'
import type { StagingRepository } from './repository.ts'
import type { VersionAccess } from './version-access.ts'
import type { VersionTexts } from './version-text.ts'

/** Finds terms of the published glossary in texts. */
export type FindTerms = (
  texts: readonly string[],
  request: GlossaryLookup,
) => Promise<readonly GlossaryMatch[]>

/** Dependencies of the staging operations. */
export interface StagingSources {
  readonly repository: StagingRepository
  readonly access: VersionAccess
  readonly loaded: LoadedVersions
  readonly texts: VersionTexts
  readonly batches: LineBatches
  readonly clock: () => Date
  readonly turns: LoopTurns
  readonly findTerms: FindTerms | undefined
}
