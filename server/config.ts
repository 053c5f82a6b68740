import { z } from 'zod'
import { EngineError, type ObjectStoreOptions } from '../engine/shared/index.ts'
import { nearestOf, quotedName } from '../engine/shared/internal.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** A number as flags give it, or its digits as the environment does; nothing is guessed. */
const count = (least: number, most: number) => {
  const expected = `expected a whole number from ${least} to ${most}`
  return z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], expected)
    .pipe(z.number().int(expected).min(least, expected).max(most, expected))
}

const text = z.string().min(1).nullable().default(null)

const flag = z
  .union(
    [z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')],
    'expected true or false',
  )
  .nullable()
  .default(null)

const oneOf = <const Words extends readonly [string, ...string[]]>(words: Words) =>
  z.enum(words, {
    error: ({ input }) => {
      const near = typeof input === 'string' ? nearestOf(input, words) : ''
      return `expected one of ${words.join(', ')}${near}`
    },
  })

/** Secrets come from the SDK's own variables; in an address they would be printed. */
function isPlainOrigin(address: string): boolean {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  return url.username === '' && url.password === '' && url.search === '' && url.hash === ''
}

const settings = z.object({
  /** 0 lets the system choose a free port. */
  port: count(0, 65_535).default(8080),
  /** Loopback until someone decides otherwise: the service may hold controlled data. */
  host: z.string().min(1).default('127.0.0.1'),
  data: z.string().min(1).default('data'),
  /** Processes that answer requests; what one may take on and keep is divided by them. */
  processes: count(1, 256).default(1),
  logLevel: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Lines of JSON or of text; `auto` is text for a person at a terminal, else JSON. */
  logFormat: oneOf(['auto', 'json', 'text']).default('auto'),
  bodyBytes: count(KiB, 1024 * MiB).default(16 * MiB),
  /** Request line and headers together; Node counts them as one. */
  headerBytes: count(4 * KiB, MiB).default(64 * KiB),
  drainSeconds: count(0, 3600).default(30),
  /** After which a reader who takes nothing, or a sender below the least rate, is cut off. */
  stallSeconds: count(1, 3600).default(120),
  /** Bytes a second that the body of a request has to bring, measured over the time above. */
  bodyRate: count(0, 1024 * MiB).default(1024),
  /** Bytes of request bodies in memory, of all requests together. */
  heldBodyBytes: count(MiB, 1024 * 1024 * MiB).default(256 * MiB),
  /** Connections at the same time; fewer where the system gives few descriptors. */
  connections: count(1, 1_000_000).default(4096),
  /** For a request's line and headers, from their first byte to their last. */
  headSeconds: count(1, 3600).default(60),
  /** For which a connection is kept between requests. */
  idleSeconds: count(1, 3600).default(60),
  /** Requests per minute of one client; 0 is no limit. */
  ratePerMinute: count(0, 1_000_000).default(0),
  /** How many of them may come at once after a pause. */
  rateBurst: count(1, 1_000_000).default(100),
  /**
   * Requests of one client that are answered at the same time; 0 is no limit. That is the default,
   * as for the rate: behind a proxy that is not configured, all clients are one address.
   */
  concurrentRequests: count(0, 1_000_000).default(0),
  /** Proxies in front, whose words in `X-Forwarded-For` are believed. */
  trustedProxies: count(0, 16).default(0),
  /** Cases times genes of one table of expression; 0 is no limit (data-commons.md 6.3). */
  expressionCells: count(0, 1_000_000_000_000).default(120_000),
  /** Bytes of a matrix of expression in memory; a larger one is read from the disk as it is asked for. */
  expressionMemoryBytes: count(MiB, 1024 * 1024 * MiB).default(1024 * MiB),
  /** Bytes of stored files that are compared with their md5 in the background a second; 0 is none. */
  scrubBytesPerSecond: count(0, 1_000_000_000_000).default(20 * MiB),
  /** What uploads, submissions and imports leave free on the disk of the data folder. */
  reserveBytes: count(0, 1024 ** 5).default(256 * MiB),
  /** Whether the user's group may read what is stored; others never may. */
  groupRead: flag,
  /**
   * Path of nginx's internal location over the folder of stored files, which then sends whole files; `null`
   * without one. Only for a service that is reached through that nginx alone (data-commons.md 11.39).
   */
  accelPrefix: z
    .string()
    .regex(/^\/([\w-]+\/)+$/, 'expected a path such as /internal-files/')
    .nullable()
    .default(null),
  /** A file of text or HTML in place of the terms of service that come with the program. */
  terms: text,
  /** Bucket of object storage for new files; without one they go into the data folder. */
  s3Bucket: z
    .string()
    .regex(/^[\w][\w.-]{1,61}[\w]$/, 'expected the name of a bucket')
    .nullable()
    .default(null),
  /** Where a server is that speaks S3; without one, that of the region. */
  s3Endpoint: z
    .string()
    .refine(isPlainOrigin, 'expected http:// or https:// and a host')
    .nullable()
    .default(null),
  s3Prefix: text,
  s3Region: text,
  s3PathStyle: flag,
  /** A PostgreSQL database for what is submitted; without one, it is in the data folder. */
  stateUrl: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE')
    .nullable()
    .default(null),
  /** Folder of a dictionary for submission; without one, the project's own. */
  dictionary: text,
})

export type Config = Readonly<z.output<typeof settings>>
export type ConfigKey = keyof Config

const variables: Readonly<Record<ConfigKey, string>> = Object.freeze({
  port: 'CASEMILL_PORT',
  host: 'CASEMILL_HOST',
  data: 'CASEMILL_DATA',
  processes: 'CASEMILL_PROCESSES',
  logLevel: 'CASEMILL_LOG_LEVEL',
  logFormat: 'CASEMILL_LOG_FORMAT',
  bodyBytes: 'CASEMILL_BODY_BYTES',
  headerBytes: 'CASEMILL_HEADER_BYTES',
  drainSeconds: 'CASEMILL_DRAIN_SECONDS',
  stallSeconds: 'CASEMILL_STALL_SECONDS',
  bodyRate: 'CASEMILL_BODY_RATE',
  heldBodyBytes: 'CASEMILL_HELD_BODY_BYTES',
  connections: 'CASEMILL_CONNECTIONS',
  headSeconds: 'CASEMILL_HEAD_SECONDS',
  idleSeconds: 'CASEMILL_IDLE_SECONDS',
  ratePerMinute: 'CASEMILL_RATE_PER_MINUTE',
  rateBurst: 'CASEMILL_RATE_BURST',
  concurrentRequests: 'CASEMILL_CONCURRENT_REQUESTS',
  trustedProxies: 'CASEMILL_TRUSTED_PROXIES',
  expressionCells: 'CASEMILL_EXPRESSION_CELLS',
  expressionMemoryBytes: 'CASEMILL_EXPRESSION_MEMORY_BYTES',
  scrubBytesPerSecond: 'CASEMILL_SCRUB_BYTES_PER_SECOND',
  reserveBytes: 'CASEMILL_RESERVE_BYTES',
  groupRead: 'CASEMILL_GROUP_READ',
  accelPrefix: 'CASEMILL_ACCEL_PREFIX',
  terms: 'CASEMILL_TERMS',
  s3Bucket: 'CASEMILL_S3_BUCKET',
  s3Endpoint: 'CASEMILL_S3_ENDPOINT',
  s3Prefix: 'CASEMILL_S3_PREFIX',
  s3Region: 'CASEMILL_S3_REGION',
  s3PathStyle: 'CASEMILL_S3_PATH_STYLE',
  stateUrl: 'CASEMILL_STATE_URL',
  dictionary: 'CASEMILL_DICTIONARY',
})

/** Read by commands that talk to a server; whoever uses both has it set for this one, too. */
const OTHERS_VARIABLES: readonly string[] = ['CASEMILL_TOKEN']

export interface ConfigSources {
  /** Usually `process.env`; only names that start with `CASEMILL_` are looked at. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Explicit flags win. A flag that is `undefined` was not given. */
  readonly flags?: Readonly<Record<string, unknown>>
}

/**
 * Makes the one frozen configuration: defaults, then the environment, then flags.
 *
 * @example readConfig({ environment: process.env, flags: { port: 9000 } }).port // 9000
 * @throws EngineError `bad_input` that names the variable or flag at fault
 */
export function readConfig({ environment = {}, flags = {} }: ConfigSources = {}): Config {
  const given = new Map<string, { readonly value: unknown; readonly name: string }>()
  const known = new Map(Object.entries(variables).map(([key, name]) => [name, key]))
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith('CASEMILL_') || value === undefined || value === '') continue
    const key = known.get(name)
    if (OTHERS_VARIABLES.includes(name)) continue
    if (key === undefined) throw unknownSetting(name, Object.values(variables))
    given.set(key, { value, name })
  }
  for (const [key, value] of Object.entries(flags)) {
    if (value === undefined) continue
    if (!Object.hasOwn(variables, key)) throw unknownSetting(key, Object.keys(variables))
    given.set(key, { value, name: key })
  }
  const read = settings.safeParse(
    Object.fromEntries([...given].map(([key, { value }]) => [key, value])),
  )
  if (read.success) return Object.freeze(read.data)
  const issue = read.error.issues[0]
  const { name, value } = given.get(String(issue?.path[0])) ?? { name: 'settings', value: '' }
  // Addresses may hold passwords.
  const shown = /URL|ENDPOINT/i.test(name) ? 'the value' : quotedName(String(value))
  const message = `setting ${name}: ${shown} is not accepted; ${issue?.message ?? 'see the README'}`
  throw new EngineError('bad_input', message, { at: name })
}

/** The configuration as it may be shown: without the password of the database. */
export function shownConfig(config: Config): Config {
  const { stateUrl } = config
  return { ...config, stateUrl: stateUrl && withoutPassword(stateUrl) }
}

function withoutPassword(address: string): string {
  const url = URL.parse(address)
  if (!url) return 'postgresql://(not readable)'
  if (url.password !== '') url.password = '***'
  if (url.searchParams.has('password')) url.searchParams.set('password', '***')
  return url.href
}

/** Object storage as the settings describe it; `undefined` without a bucket. */
export function objectStorage(config: Config): ObjectStoreOptions | undefined {
  const { s3Bucket: bucket, s3Endpoint, s3Prefix, s3Region, s3PathStyle } = config
  if (bucket === null) return undefined
  return {
    bucket,
    endpoint: s3Endpoint ?? undefined,
    prefix: s3Prefix ?? undefined,
    region: s3Region ?? undefined,
    pathStyle: s3PathStyle ?? undefined,
  }
}

function unknownSetting(name: string, names: readonly string[]): EngineError {
  return new EngineError(
    'bad_input',
    `setting ${name} is unknown; use one of ${names.join(', ')}${nearestOf(name, names)}`,
    {
      at: name,
    },
  )
}
