import type { Scratch } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { arraysOf } from '../release/arrays.ts'
import { DocumentReader, type DocumentsHandle } from '../release/documents.ts'
import type { ReleaseManifest } from '../release/layout.ts'
import type { ArrayKey, ArraySize, LoadedArrays, ReleaseArrays } from '../release/loaded.ts'
import type { ColumnPlan } from './column-plan.ts'
import type { LinkedRecords } from './linked-records.ts'

/** What rendering needs of a release. It must stay open until the body has ended. */
export interface RenderedRelease {
  load(
    keys: Iterable<ArrayKey>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<LoadedArrays>
  documents(dataset: DatasetName): Promise<DocumentsHandle>
  /** What columns there are, and how documents print them. */
  readonly manifest: Pick<ReleaseManifest, 'datasets'>
  /** Whether arrays are in memory as they were loaded. */
  holds(loaded: LoadedArrays): boolean
  /** Bytes of arrays. */
  sizeOf(keys: Iterable<ArrayKey>): ArraySize
}

/** Where a job reads records from, as plain data. */
export interface RecordHandles {
  readonly loaded: LoadedArrays
  readonly documents: Readonly<Partial<Record<DatasetName, DocumentsHandle>>>
  /** By `at` of the answered dataset's links: records that were prepared. */
  readonly linked?: Readonly<Record<string, LinkedRecords>>
  /** Records are written from columns: there are no documents. */
  readonly plan?: ColumnPlan | undefined
}

/** Where own documents come from; a DocumentReader is one. */
export interface DocumentSource {
  /** JSON texts of the rows, in their order. */
  read(rows: ArrayLike<number>): string[]
}

export interface RecordSource {
  readonly arrays: ReleaseArrays
  documents(dataset: DatasetName): DocumentSource
  readonly linked?: Readonly<Record<string, LinkedRecords>> | undefined
}

/** Opens what the handles name; readers are made when they are first asked for. */
export function openRecords(
  { loaded, documents, linked }: RecordHandles,
  scratch: Scratch,
): RecordSource {
  const readers = new Map<DatasetName, DocumentSource>()
  return {
    arrays: arraysOf(loaded),
    linked,
    documents(dataset) {
      let reader = readers.get(dataset)
      if (!reader) {
        const handle = documents[dataset]
        if (!handle) throw new Error(`documents of ${dataset} were not handed over`)
        reader = new DocumentReader(handle, scratch)
        readers.set(dataset, reader)
      }
      return reader
    },
  }
}
