import { setImmediate as pause } from 'node:timers/promises'
import Builder from 'fast-xml-builder'
import type { UploadPart } from '../../engine/submission/index.ts'

/** Namespace of S3. The transfer client reads the default namespace of the root (submission.md 14). */
const NAMESPACE = 'http://s3.amazonaws.com/doc/2006-03-01/'

const ATTRIBUTE = '@'
/** Parts serialized at a time, which takes some milliseconds. */
const PARTS_AT_ONCE = 250

const builder = new Builder({ ignoreAttributes: false, attributeNamePrefix: ATTRIBUTE })

function document(root: string, members: Readonly<Record<string, unknown>>): string {
  const body = { [root]: { [`${ATTRIBUTE}xmlns`]: NAMESPACE, ...members } }
  return `<?xml version="1.0" encoding="UTF-8"?>\n${builder.build(body)}`
}

/** Formats an ETag in quotes, as object storage does. */
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

/** Serializes the response to the start of a multipart upload, in the XML format of S3. */
export function initiatedXml(upload: OfUpload): string {
  return document('InitiateMultipartUploadResult', named(upload))
}

/** Serializes the list of parts. Yields to the event loop, because there may be ten thousand. */
export async function listedXml(upload: OfUpload, parts: readonly UploadPart[]): Promise<string> {
  const root = 'ListPartsResult'
  const about = { ...named(upload), MaxParts: parts.length, IsTruncated: false }
  const end = `</${root}>`
  const texts = [document(root, about).slice(0, -end.length)]
  for (let from = 0; from < parts.length; from += PARTS_AT_ONCE) {
    if (from > 0) await pause()
    const some = parts
      .slice(from, from + PARTS_AT_ONCE)
      .map(({ number, md5, size, modifiedAt }) => ({
        PartNumber: number,
        LastModified: modifiedAt,
        ETag: quotedTag(md5),
        Size: size,
      }))
    texts.push(builder.build({ Part: some }))
  }
  return [...texts, end].join('')
}

/** Serializes the response to a completed multipart upload. */
export function completedXml({ project, id }: OfUpload, etag: string): string {
  return document('CompleteMultipartUploadResult', {
    Bucket: project,
    Key: id,
    ETag: quotedTag(etag),
  })
}
