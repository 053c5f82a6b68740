import Builder from 'fast-xml-builder'
import { XMLParser } from 'fast-xml-parser'
import { EngineError, type ListedPart, type UploadPart } from '../../engine/index.ts'

/** Of object storage; the transfer client reads the root's default namespace (submission 14). */
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

/** A list of all parts that there may be is half of it. */
const MOST_BYTES = 2 << 20
const ATTRIBUTE = '@'

const builder = new Builder({ ignoreAttributes: false, attributeNamePrefix: ATTRIBUTE })
const parser = new XMLParser({
  ignoreAttributes: true,
  parseTagValue: false,
  processEntities: false,
  ignoreDeclaration: true,
  removeNSPrefix: true,
  maxNestedTags: 8,
  isArray: (name) => name === 'Part',
})

function document(root: string, members: Readonly<Record<string, unknown>>): string {
  const body = { [root]: { [`${ATTRIBUTE}xmlns`]: NAMESPACE, ...members } }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(body)}`
}

/** An ETag as object storage has it: in quotes. */
export function quotedTag(md5: string): string {
  return `"${md5}"`
}

interface OfUpload {
  readonly project: string
  readonly id: string
  readonly uploadId: string
}

function named({ project, id, uploadId }: OfUpload) {
  return { Bucket: project, Key: id, UploadId: uploadId }
}

export function initiatedXml(upload: OfUpload): string {
  return document('InitiateMultipartUploadResult', named(upload))
}

export function listedXml(upload: OfUpload, parts: readonly UploadPart[]): string {
  return document('ListPartsResult', {
    ...named(upload),
    MaxParts: parts.length,
    IsTruncated: false,
    Part: parts.map(({ number, md5, size, modifiedAt }) => ({
      PartNumber: number,
      LastModified: modifiedAt,
      ETag: quotedTag(md5),
      Size: size,
    })),
  })
}

export function completedXml({ project, id }: OfUpload, etag: string): string {
  return document('CompleteMultipartUploadResult', {
    ...{ Bucket: project, Key: id, ETag: quotedTag(etag) },
  })
}

/**
 * The parts that complete an upload.
 * @throws EngineError `bad_input` for what is no such list, `too_large`
 */
export function readPartList(body: Uint8Array): readonly ListedPart[] {
  if (body.byteLength > MOST_BYTES) {
    throw new EngineError('too_large', `the list of parts is larger than ${MOST_BYTES} bytes`)
  }
  const parts = partsIn(parsed(Buffer.from(body).toString()))
  return parts.map((part) => {
    const { PartNumber: number, ETag: etag } = isObject(part) ? part : {}
    if (typeof number !== 'string' || typeof etag !== 'string' || !/^\d{1,9}$/.test(number)) {
      throw refused('a part has not one PartNumber, a whole number, and one ETag')
    }
    return { number: Number(number), etag }
  })
}

function parsed(text: string): unknown {
  // Nothing may be declared that would have to be expanded.
  if (/<!(?!--)/.test(text)) throw refused('the body has declarations; leave them out')
  try {
    return parser.parse(text, true)
  } catch {
    throw refused('the body is not well-formed XML')
  }
}

function partsIn(document: unknown): readonly unknown[] {
  const root = isObject(document) ? document.CompleteMultipartUpload : undefined
  // An element without content is read as an empty text.
  if (root === '') return []
  const parts = isObject(root) ? (root.Part ?? []) : undefined
  if (Array.isArray(parts)) return parts
  throw refused('the body is no CompleteMultipartUpload with its parts')
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const refused = (message: string) => new EngineError('bad_input', message)
