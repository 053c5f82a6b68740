import { descriptorShortage } from '../descriptors.ts'
import { EngineError } from '../errors.ts'

/** What the SDK's errors have, besides what must not get into a log: the request with its signature. */
interface StorageFailure {
  readonly name?: unknown
  readonly code?: unknown
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** Status that object storage answered with, if it did. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  return (error as StorageFailure).$metadata?.httpStatusCode
}

/** After how many seconds it is worth asking again a storage that is away. */
const RETRY_SECONDS = 10

const isNamed = (error: unknown, ...names: readonly string[]) =>
  error instanceof Error && names.includes(error.name)

/** Whether there is no such object; of a bucket that is not there it is not always known. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && !isNamed(error, 'NoSuchBucket')
}

/** Whether the server does not know what it was asked to do. */
export function isUnsupported(error: unknown): boolean {
  return statusOf(error) === 501
}

/** Whether there was no byte for too long. */
export function isTimeout(error: unknown): boolean {
  return isNamed(error, 'TimeoutError')
}

/** Whether the object is another one than was asked for. */
export function isReplaced(error: unknown): boolean {
  return statusOf(error) === 412
}

/**
 * An error of object storage as one of the engine. It names the bucket and what kind of error it
 * was, and nothing else of it: the SDK's own error holds the signed request.
 */
export function storageError(error: unknown, bucket: string): EngineError {
  if (error instanceof EngineError) return error
  const cause = new Error(kindOf(error))
  const shortage = descriptorShortage(error)
  if (shortage) return new EngineError(shortage.code, shortage.message, { cause })
  const isPassing = isAway(error)
  return new EngineError('unavailable', messageOf(error, bucket), {
    cause,
    ...(isPassing && { retryAfterSeconds: RETRY_SECONDS }),
  })
}

/** Whether object storage has no space: 507 of WebDAV, which servers of one's own give. */
export function isFull(error: unknown): boolean {
  return statusOf(error) === 507
}

/** Whether object storage does not answer, or has an error of its own. */
export function isAway(error: unknown): boolean {
  const status = statusOf(error)
  return status === undefined || status >= 500 || status === 429
}

function messageOf(error: unknown, bucket: string): string {
  const named = `bucket ${JSON.stringify(bucket)}`
  if (isNamed(error, 'NoSuchBucket')) return `object storage has no ${named}`
  if (isMissing(error)) return `object is not in ${named}`
  if (isReplaced(error)) return `object in ${named} was replaced while it was read`
  if (isNamed(error, 'CredentialsProviderError')) {
    return `no credentials for ${named}; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`
  }
  // The SDK has no name for this one.
  if (error instanceof Error && error.message === 'Region is missing') {
    return `no region for ${named}; set CASEMILL_S3_REGION`
  }
  const status = statusOf(error)
  if (status === 401 || status === 403) {
    return `object storage refuses access to ${named}; check credentials and policy`
  }
  return status !== undefined && status >= 300
    ? `object storage cannot serve ${named}`
    : `object storage of ${named} does not answer`
}

function kindOf(error: unknown): string {
  const { name, code } = (
    typeof error === 'object' && error !== null ? error : {}
  ) as StorageFailure
  const status = statusOf(error)
  const parts = [name, code, status === undefined ? undefined : `status ${status}`]
  return parts.filter((part) => typeof part === 'string' && part !== '').join(', ') || 'unknown'
}
