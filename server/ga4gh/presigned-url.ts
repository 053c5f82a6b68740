import type { FileLink } from '../../engine/commons/index.ts'

/** An address of object storage with the headers that are to be sent there. */
export interface PresignedUrl {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** @param isPage Whether a page of a browser asks. */
export function presignedUrl(
  { url, entityTag }: NonNullable<FileLink['presigned']>,
  isPage: boolean,
): PresignedUrl {
  // Of a page, the header would have the bucket asked before each request whether it may be sent.
  return { url, headers: isPage ? {} : { 'If-Match': entityTag } }
}
