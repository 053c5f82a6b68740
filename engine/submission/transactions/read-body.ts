import { type Packed, pack, packMembers, shared } from '../../shared/arrays/packed.ts'
import { atOnce } from '../../shared/concurrency/at-once.ts'
import type { Job } from '../../shared/executor.ts'
import { namesIn } from './fetch-graph.ts'
import { parseBody, type SubmissionFormat } from './parse-body.ts'
import { type SharedTypes, type Types, typesOf } from './shared-types.ts'
import { readExactJson, writeExactJson } from './store/exact-json.ts'
import type { EntityDocument, Submitted } from './submitted.ts'

/** Source of an upload: a body, or the record of a dry run with its response. */
export type UploadSource =
  | { readonly body: Uint8Array; readonly format: SubmissionFormat }
  | { readonly canonicalJson: string; readonly response: string | null }

/** The documents of an upload, serialized so that threads can pass them on unparsed. */
export interface UploadWork {
  /** Serialized `UploadDocuments`. */
  readonly documents: Uint8Array<SharedArrayBuffer>
  readonly count: number
  /** `Names` to look up, serialized by `packMembers`. */
  readonly names: readonly Packed[]
}

export interface UploadDocuments {
  readonly submitted: readonly Submitted[]
  /** Ids that a dry run has assigned to the documents. They are used if they are still free. */
  readonly reservedIds: readonly (string | null)[]
}

export interface ReadUpload {
  readonly work: UploadWork
  /** JSON list with one element per entity. */
  readonly canonicalJson: string
  /** The body as text. */
  readonly text: string
}

/**
 * Parses an upload.
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

/** Placeholder for an element that is no object. A dry run with one fails, so it is never repeated. */
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

interface ReadUploadInput {
  readonly source: UploadSource
  readonly types: SharedTypes
}

export const readUploadJob: Job<ReadUploadInput, ReadUpload> = {
  name: 'submission.read',
  run: ({ source, types }, scratch) => readUpload(source, typesOf(types, scratch)),
  transfer: ({ work }) => work.names.map(({ buffer }) => buffer),
}
