import type { BufferPool } from '../../shared/concurrency/buffer-pool.ts'
import type { Scratch } from '../../shared/executor.ts'
import type { DatasetName } from '../datasets/define.ts'
import { arraysOf } from '../release/arrays.ts'
import { DocumentReader, type DocumentsHandle } from '../release/documents.ts'
import type { ReleaseManifest } from '../release/layout.ts'
import type { ArrayKey, ArraySize, LoadedArrays, ReleaseArrays } from '../release/loaded.ts'
import type { ColumnPlan } from './column-plan.ts'
import type { LinkedRecords } from './linked-records.ts'

/** The parts of a release that rendering uses. The release must stay open until the body has ended. */
export interface RenderedRelease {
  load(
    keys: Iterable<ArrayKey>,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<LoadedArrays>
  documents(dataset: DatasetName): Promise<DocumentsHandle>
  /** Columns of each dataset, and the form in which documents print them. */
  readonly manifest: Pick<ReleaseManifest, 'datasets'>
  /** Shared memory that chunks of responses are written to. */
  readonly buffers: BufferPool
  /** Returns whether these arrays are still in memory, and have not been dropped and loaded again. */
  holds(loaded: LoadedArrays): boolean
  /** Returns the size in bytes that arrays have in memory. */
  sizeOf(keys: Iterable<ArrayKey>): ArraySize
}

/** Handles through which a job reads records, as plain data. */
export interface RecordHandles {
  readonly loaded: LoadedArrays
  readonly documents: Readonly<Partial<Record<DatasetName, DocumentsHandle>>>
  /** Linked records that are already rendered, by the path `at` of the link. */
  readonly linked?: Readonly<Record<string, LinkedRecords>>
  /** Plan for writing records from columns. If set, documents are not available. */
  readonly plan?: ColumnPlan | undefined
}

/** Reads documents of a dataset. A DocumentReader is one. */
interface DocumentSource {
  /** Returns the JSON texts of the rows, in their order. */
  read(rows: ArrayLike<number>): string[]
}

export interface RecordSource {
  readonly arrays: ReleaseArrays
  documents(dataset: DatasetName): DocumentSource
  readonly linked?: Readonly<Record<string, LinkedRecords>> | undefined
}

/** Opens the handles within a job. Documents of a dataset are opened when first read. */
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
