import { descriptorShortage } from '../descriptors.ts'
import { EngineError } from '../errors.ts'

/** The fields of an SDK error that may be used. Others contain the signed request, which must not be logged. */
interface StorageFailure {
  readonly name?: unknown
  readonly code?: unknown
  readonly $metadata?: { readonly httpStatusCode?: number }
}

/** Returns the HTTP status of an error, or undefined if there was no response. */
export function statusOf(error: unknown): number | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  return (error as StorageFailure).$metadata?.httpStatusCode
}

/** Retry-After in seconds if the storage is away. */
const RETRY_SECONDS = 10

const isNamed = (error: unknown, ...names: readonly string[]) =>
  error instanceof Error && names.includes(error.name)

/** Returns whether the object does not exist. A missing bucket may look the same on some servers. */
export function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && !isNamed(error, 'NoSuchBucket')
}

/** Returns whether the server does not implement the request. */
export function isUnsupported(error: unknown): boolean {
  return statusOf(error) === 501
}

/** Returns whether the connection was silent for too long. */
export function isTimeout(error: unknown): boolean {
  return isNamed(error, 'TimeoutError')
}

/** Returns whether an error means that the object has another entity tag than the request. */
export function isReplaced(error: unknown): boolean {
  return statusOf(error) === 412
}

/**
 * Converts an SDK error to an EngineError. Only the bucket and the kind of error are kept, because the SDK's
 * error contains the signed request.
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

/** Returns whether the storage is full. Status 507 is from WebDAV and is used by some self-hosted servers. */
export function isFull(error: unknown): boolean {
  return statusOf(error) === 507
}

/** Returns whether the storage is unreachable, overloaded or failing. */
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
  // The SDK gives this error no name of its own.
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
