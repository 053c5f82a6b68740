import type { FileLink } from '../../engine/commons/index.ts'

/** A URL of object storage, with the headers to send. */
interface PresignedUrl {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Builds a presigned URL with its headers.
 * @param isPage whether the client is a web page
 */
export function presignedUrl(
  { url, entityTag }: NonNullable<FileLink['presigned']>,
  isPage: boolean,
): PresignedUrl {
  // In a web page, this header would cause a preflight request to the bucket before each request.
  return { url, headers: isPage ? {} : { 'If-Match': entityTag } }
}
