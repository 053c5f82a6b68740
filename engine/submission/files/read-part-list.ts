import { XMLParser } from 'fast-xml-parser'
import { EngineError } from '../../shared/errors.ts'
import type { Job } from '../../shared/executor.ts'
import { isObject } from '../../shared/input/unknowns.ts'
import type { ListedPart } from './part-list.ts'

/** Maximum size of a list of parts in bytes, twice the size of a list with MAX_PARTS parts. */
const MAX_BYTES = 2 << 20

const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  processEntities: false,
  ignoreDeclaration: true,
  removeNSPrefix: true,
  maxNestedTags: 8,
  isArray: (name) => name === 'Part',
})

/** Runs in a worker thread, because the longest list takes a tenth of a second. */
export const readPartListJob: Job<{ readonly body: Uint8Array }, readonly ListedPart[]> = {
  name: 'submission-files.read-part-list',
  run: ({ body }) => readPartList(Buffer.from(body).toString()),
}

/**
 * Throws if a list of parts is too long.
 * @throws EngineError `too_large`
 */
export function requireListSize(body: Uint8Array): void {
  if (body.byteLength <= MAX_BYTES) return
  throw new EngineError('too_large', `the list of parts is larger than ${MAX_BYTES} bytes`)
}

/**
 * Parses a list of parts in the XML format of S3 (submission.md 14).
 * @throws EngineError `bad_input` if it is not such a list
 */
function readPartList(text: string): readonly ListedPart[] {
  return partsIn(parsed(text)).map((part) => {
    const { PartNumber: number, ETag: etag } = isObject(part) ? part : {}
    if (typeof number !== 'string' || typeof etag !== 'string' || !/^\d{1,9}$/.test(number)) {
      throw badInput('a part has not one PartNumber, a whole number, and one ETag')
    }
    return { number: Number(number), etag }
  })
}

function parsed(text: string): unknown {
  // Rejected, because declarations could define entities that expand to large texts.
  if (/<!(?!--)/.test(text)) throw badInput('the body has declarations; leave them out')
  try {
    return parser.parse(text, true)
  } catch {
    throw badInput('the body is not well-formed XML')
  }
}

function partsIn(document: unknown): readonly unknown[] {
  const root = isObject(document) ? document.CompleteMultipartUpload : undefined
  // The XML parser returns an element without content as empty text.
  if (root === '') return []
  const parts = isObject(root) ? (root.Part ?? []) : undefined
  if (Array.isArray(parts)) return parts
  throw badInput('the body is no CompleteMultipartUpload with its parts')
}

const badInput = (message: string) => new EngineError('bad_input', message)
