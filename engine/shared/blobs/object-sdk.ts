import type * as Sdk from '@aws-sdk/client-s3'
import type { ObjectTimes } from './object-times.ts'

/** Location of the object storage and how to connect to it. */
export interface ObjectStoreOptions {
  readonly bucket: string
  /** URL of an S3-compatible server. Defaults to the AWS endpoint of the region. */
  readonly endpoint?: string | undefined
  /** Prefix of every object key. */
  readonly prefix?: string | undefined
  readonly region?: string | undefined
  /** Whether the bucket is in the URL's path instead of its host name. By default true if there is an endpoint. */
  readonly pathStyle?: boolean | undefined
  /** Defaults to the SDK's credential chain: environment variables, profile, instance role. */
  readonly credentials?:
    | { readonly accessKeyId: string; readonly secretAccessKey: string }
    | undefined
  readonly times?: Partial<ObjectTimes> | undefined
}

/** The SDK, and its client for one bucket. */
export interface OpenedSdk {
  readonly sdk: typeof Sdk
  readonly client: Sdk.S3Client
}

const MAX_SOCKETS = 64
/** Number of attempts per request: by the SDK until a response begins, by ObjectClient to read the body. */
export const MAX_TRIES = 3

const silence = () => {}
/** Silences the SDK, which warns on the console if many requests are queued. Queueing is intended here. */
const SILENT = { trace: silence, debug: silence, info: silence, warn: silence, error: silence }

/** Loads the SDK, which takes a while, and creates a client with the settings of all requests to a bucket. */
export async function openSdk(
  { endpoint, region, pathStyle, credentials }: ObjectStoreOptions,
  { connect, write }: ObjectTimes,
): Promise<OpenedSdk> {
  const sdk = await import('@aws-sdk/client-s3')
  const agent = { maxSockets: MAX_SOCKETS }
  const client = new sdk.S3Client({
    ...(endpoint === undefined ? {} : { endpoint }),
    // Servers other than AWS have no regions, but signing a request requires one.
    ...(region === undefined
      ? endpoint === undefined
        ? {}
        : { region: 'us-east-1' }
      : { region }),
    ...(credentials ? { credentials } : {}),
    forcePathStyle: pathStyle ?? endpoint !== undefined,
    // Older servers reject checksums in trailers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    maxAttempts: MAX_TRIES,
    logger: SILENT,
    requestHandler: {
      connectionTimeout: connect,
      // The time limit of a write is divided, so that all attempts fit into it.
      socketTimeout: write / MAX_TRIES,
      throwOnRequestTimeout: true,
      httpAgent: agent,
      httpsAgent: agent,
      logger: SILENT,
    },
  })
  return { sdk, client }
}
