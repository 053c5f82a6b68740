import { type Packed, pack, packMembers } from '../../shared/arrays/packed.ts'
import { atOnce } from '../../shared/concurrency/at-once.ts'
import type { Job } from '../../shared/executor.ts'
import { namesIn } from './fetch-graph.ts'
import { parseBody, type SubmissionFormat } from './parse-body.ts'
import { type SharedTypes, shared, type Types, typesOf } from './shared-types.ts'
import { readExactJson, writeExactJson } from './store/exact-json.ts'
import type { EntityDocument, Submitted } from './submitted.ts'

/** What an upload is made of: a body, or the record of a dry run with its answer. */
export type UploadSource =
  | { readonly body: Uint8Array; readonly format: SubmissionFormat }
  | { readonly canonicalJson: string; readonly response: string | null }

/** The documents of an upload, in a form that threads pass on unread. */
export interface UploadWork {
  /** `UploadDocuments`. */
  readonly documents: Uint8Array<SharedArrayBuffer>
  readonly count: number
  /** `Names`, packed by its members: all that is looked up. */
  readonly names: readonly Packed[]
}

export interface UploadDocuments {
  readonly submitted: readonly Submitted[]
  /** Ids that a dry run gave, for each document; they are used where they are still free. */
  readonly reservedIds: readonly (string | null)[]
}

export interface ReadUpload {
  readonly work: UploadWork
  /** A list with one element for each entity. */
  readonly canonicalJson: string
  /** What was sent, as text. */
  readonly text: string
}

/**
 * Takes apart what is uploaded.
 * @throws EngineError `bad_input`, `too_many` as parseBody
 */
export function readUpload(source: UploadSource, types: Types): ReadUpload {
  if ('body' in source) {
    const { body, format } = source
    const submitted = parseBody(body, format, types)
    const canonicalJson = writeExactJson(
      submitted.map((one) => ('document' in one ? one.document : { [UNLIKE]: one.unlike })),
    )
    const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()
    return { work: workOf({ submitted, reservedIds: [] }, types), canonicalJson, text }
  }
  const { canonicalJson, response } = source
  const work = workOf(repeatedDocuments(canonicalJson, response), types)
  return { work, canonicalJson, text: canonicalJson }
}

/** Stands for an element that was no object; a dry run with one fails, so none is repeated. */
const UNLIKE = 'not an object, but'

function repeatedDocuments(canonicalJson: string, response: string | null): UploadDocuments {
  const elements = readExactJson(canonicalJson) as readonly EntityDocument[]
  const { entities = [] } = JSON.parse(response ?? '{}') as {
    readonly entities?: readonly { readonly action: string; readonly id: string | null }[]
  }
  return {
    submitted: elements.map((document) => ({ document })),
    reservedIds: entities.map(({ action, id }) => (action === 'update' ? null : id)),
  }
}

function workOf(documents: UploadDocuments, types: Types): UploadWork {
  const { submitted, reservedIds } = documents
  const names = namesIn(submitted, types)
  const ids = new Set([...names.ids, ...reservedIds.filter((id) => id !== null)])
  return {
    documents: shared(pack(documents)),
    count: submitted.length,
    names: atOnce(packMembers({ ...names, ids })),
  }
}

export interface ReadUploadInput {
  readonly source: UploadSource
  readonly types: SharedTypes
}

export const readUploadJob: Job<ReadUploadInput, ReadUpload> = {
  name: 'submission.read',
  run: ({ source, types }, scratch) => readUpload(source, typesOf(types, scratch)),
  transfer: ({ work }) => work.names.map(({ buffer }) => buffer),
}
