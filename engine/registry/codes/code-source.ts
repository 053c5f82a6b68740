import type { IndexedRecord, RecordChange, RecordSource } from '../full-text/record.ts'
import type { CodeRepository, StoredCode } from './repository.ts'

/** Gives the index of an area access to the changes that any process makes. */
export function sourceOf(
  repository: CodeRepository,
  indexed: (stored: StoredCode) => IndexedRecord,
): RecordSource {
  return {
    revision: () => repository.revision(),
    async *changesSince(revision: number): AsyncGenerator<RecordChange> {
      // A record that is deleted and recreated during the read is reported among the records.
      for (const id of await repository.deletedSince(revision)) yield { id, record: undefined }
      for await (const stored of repository.recordsSince(revision)) {
        yield { id: stored.code, record: indexed(stored) }
      }
    },
  }
}
