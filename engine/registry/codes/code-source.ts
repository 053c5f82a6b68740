import type { IndexedRecord, RecordChange, RecordSource } from '../full-text/record.ts'
import type { CodeRepository, StoredCode } from './repository.ts'

/** Where the index of an area reads what was changed, by whichever process. */
export function sourceOf(
  repository: CodeRepository,
  indexed: (stored: StoredCode) => IndexedRecord,
): RecordSource {
  return {
    revision: () => repository.revision(),
    async *changesSince(revision: number): AsyncGenerator<RecordChange> {
      // What is deleted and made again while this is read comes among the records.
      for (const id of await repository.deletedSince(revision)) yield { id, record: undefined }
      for await (const stored of repository.recordsSince(revision)) {
        yield { id: stored.code, record: indexed(stored) }
      }
    },
  }
}
