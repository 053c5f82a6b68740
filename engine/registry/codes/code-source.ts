import type { IndexedRecord, RecordChange, RecordSource } from '../full-text/record.ts'
import type { CodeRepository, StoredCode } from './repository.ts'

/** Gives the full-text index of an area (NDC or HCPCS) access to the changes that any process makes. */
export function sourceOf(
  repository: CodeRepository,
  indexed: (stored: StoredCode) => IndexedRecord,
): RecordSource {
  return {
    revision: () => repository.revision(),
    async *changesSince(revision: number): AsyncGenerator<RecordChange> {
      // Deletions are read first: a record that is recreated meanwhile is then yielded again after its deletion.
      for (const id of await repository.deletedSince(revision)) yield { id, record: undefined }
      for await (const stored of repository.recordsSince(revision)) {
        yield { id: stored.code, record: indexed(stored) }
      }
    },
  }
}
