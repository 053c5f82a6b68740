import { z } from 'zod'
import type { Presigning } from '../engine/commons/index.ts'
import {
  type AuditOptions,
  EngineError,
  type FetchDocument,
  type JwtRules,
  type ObjectStoreOptions,
} from '../engine/shared/index.ts'
import { isIssuerAddress, nearestOf, quotedName } from '../engine/shared/internal.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** Defines a number: a number from flags, or decimal digits from the environment. */
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

/** Algorithms by which issuers may sign. All have a public key: a shared secret could also sign. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512']
const SIGNING: readonly string[] = [...ALGORITHMS, 'EdDSA', 'Ed25519']

/** Defines a list of texts, separated by commas. */
const list = (isGood: (entry: string) => boolean, expected: string) =>
  z
    .string()
    .refine((given) => listed(given).length > 0 && listed(given).every(isGood), expected)
    .nullable()
    .default(null)

const listed = (given: string | null) =>
  (given ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean)

/** Returns whether a URL has neither credentials nor a query: URLs are printed. SDK variables have the secrets. */
function isPlainOrigin(address: string): boolean {
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) return false
  return url.username === '' && url.password === '' && url.search === '' && url.hash === ''
}

/** Returns whether an address needs no encryption, because it never leaves this host. */
const isLoopback = ({ hostname }: URL) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/** Returns whether secrets may be sent to an address. */
function isSecretPlace(address: string): boolean {
  const url = URL.parse(address)
  return isPlainOrigin(address) && url !== null && (url.protocol === 'https:' || isLoopback(url))
}

const settings = z.object({
  port: count(0, 65_535)
    .default(8080)
    .describe('Port to listen on. 0 lets the system choose a free port.'),
  host: z
    .string()
    .min(1)
    .default('127.0.0.1')
    .describe('Address to listen on. The default is loopback, because the data may be controlled.'),
  data: z
    .string()
    .min(1)
    .default('data')
    .describe('The data folder. Without it, `serve` creates and serves a demo.'),
  algorithmTable: text.describe(
    'File with the table that selects the staging algorithms of each tumor of a registry file. It is read for each file. By default, the table in the guide to staging registry files.',
  ),
  editRules: text.describe(
    'File with the rules by which registry files are checked. It is read for each file. By default, the built-in rules.',
  ),
  processes: count(1, 256)
    .default(1)
    .describe(
      'Processes that answer requests on the port. Each takes 200 to 400 MB. Limits of the service are divided by them.',
    ),
  logLevel: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('Lowest level of messages in the log.'),
  logFormat: oneOf(['auto', 'json', 'text'])
    .default('auto')
    .describe('JSON or text lines. `auto` is text in a terminal, otherwise JSON.'),
  bodyBytes: count(KiB, 1024 * MiB)
    .default(16 * MiB)
    .describe('Maximum size of a request body in bytes.'),
  headerBytes: count(4 * KiB, MiB)
    .default(64 * KiB)
    .describe('Maximum size of a request line with its headers in bytes.'),
  drainSeconds: count(0, 3600)
    .default(30)
    .describe('Time to finish responses after Ctrl-C or SIGTERM. After that, they are aborted.'),
  drainLeadSeconds: count(0, 600)
    .default(0)
    .describe(
      'Time between Ctrl-C or SIGTERM and the start of `CASEMILL_DRAIN_SECONDS`. New requests are still accepted, while `/health/ready` returns 503, so that a balancer can switch to other nodes.',
    ),
  stallSeconds: count(1, 3600)
    .default(120)
    .describe(
      'A client that reads nothing for this long, or sends slower than `CASEMILL_BODY_RATE`, is disconnected.',
    ),
  bodyRate: count(0, 1024 * MiB)
    .default(1024)
    .describe(
      'Minimum rate of request bodies in bytes per second, measured over `CASEMILL_STALL_SECONDS`.',
    ),
  heldBodyBytes: count(MiB, 1024 * 1024 * MiB)
    .default(256 * MiB)
    .describe('Maximum size of all request bodies in memory, in bytes.'),
  connections: count(1, 1_000_000)
    .default(4096)
    .describe('Maximum number of connections. Fewer if `ulimit -n` is below 8,448.'),
  headSeconds: count(1, 3600)
    .default(60)
    .describe('Maximum time for receiving a request line and its headers.'),
  idleSeconds: count(1, 3600)
    .default(60)
    .describe('Time for which an idle connection is kept open.'),
  // There is no limit by default, because behind an unconfigured proxy all clients have the same address.
  ratePerMinute: count(0, 1_000_000)
    .default(0)
    .describe(
      'Requests per minute of one client: an address, a token or a key. Above it, the status is 429 with `Retry-After`. 0 means no limit.',
    ),
  rateBurst: count(1, 1_000_000)
    .default(100)
    .describe(
      'Number of requests that a client with a limit (`CASEMILL_RATE_PER_MINUTE`) can send at once after a pause.',
    ),
  concurrentRequests: count(0, 1_000_000)
    .default(0)
    .describe('Maximum number of concurrent requests of one client. 0 means no limit.'),
  trustedProxies: count(0, 16)
    .default(0)
    .describe(
      'Proxies in front of the service, whose `X-Forwarded-For` is trusted. Set this behind proxies: otherwise all clients have one address.',
    ),
  consent: oneOf(['shown', 'enforced'])
    .default('shown')
    .describe(
      'Whether consent codes of controlled files are only shown, or must be met by the purposes of the token.',
    ),
  // data-commons.md 6.3
  expressionCells: count(0, 1_000_000_000_000)
    .default(120_000)
    .describe(
      'Maximum number of cells (cases times genes) of an expression table. 0 means no limit.',
    ),
  expressionMemoryBytes: count(MiB, 1024 * 1024 * MiB)
    .default(1024 * MiB)
    .describe(
      'Maximum size of the expression matrix in memory, in bytes. A larger matrix is read from its file on request.',
    ),
  scrubBytesPerSecond: count(0, 1_000_000_000_000)
    .default(20 * MiB)
    .describe(
      'Rate at which stored files are verified against their MD5 in the background, in bytes per second. 0 disables it.',
    ),
  work: count(0, 1)
    .default(1)
    .describe(
      'Whether the service runs background tasks, such as making block directories. 0 leaves them to `casemill work`.',
    ),
  reserveBytes: count(0, 1024 ** 5)
    .default(256 * MiB)
    .describe(
      'Free space that uploads, submissions and imports leave on the disk of the data folder, in bytes.',
    ),
  groupRead: flag.describe(
    "Whether the group of the service's user can read stored files. Otherwise only the user can. Others never can.",
  ),
  // data-commons.md 11.39
  accelPrefix: z
    .string()
    .regex(/^\/([\w-]+\/)+$/, 'expected a path such as /internal-files/')
    .nullable()
    .default(null)
    .describe(
      "Path of nginx's internal location over the folder of stored files. nginx then sends whole files. Only for a service that clients can only reach through this nginx.",
    ),
  audit: flag.describe(
    'Whether the service and commands record who had which controlled data, in the folder `audit` of the data folder. Without a durable line, no controlled data are sent.',
  ),
  auditAddress: flag.describe('Whether the record has the addresses of clients.'),
  auditDays: count(0, 36_500)
    .default(0)
    .describe(
      'Number of whole days for which the record is kept, besides the current one. 0 keeps all.',
    ),
  terms: text.describe('Text or HTML file that `/terms` shows instead of the built-in terms.'),
  htsgetIds: text.describe(
    'Table of aliases by which htsget finds files: on each line, an alias, a tab and a file id.',
  ),
  privateNetwork: flag.describe(
    'Whether browsers may let pages of public sites send requests to this service in a private network.',
  ),
  remoteHosts: text.describe(
    'Hosts from which files can be read, by imports of alignments and variants and for files that are served from their address, separated by commas: `data.example.org` is reached by HTTPS, others are origins such as `http://10.0.0.5:8080`. A private address must be listed itself.',
  ),
  s3Bucket: z
    .string()
    .regex(/^[\w][\w.-]{1,61}[\w]$/, 'expected the name of a bucket')
    .nullable()
    .default(null)
    .describe(
      'Bucket in object storage for new files. Without it, they are stored in the data folder.',
    ),
  s3Endpoint: z
    .string()
    .refine(isPlainOrigin, 'expected http:// or https:// and a host')
    .nullable()
    .default(null)
    .describe('Address of an S3 server. By default, that of the region.'),
  s3Prefix: text.describe('Prefix of the names of all objects in the bucket.'),
  s3Region: text.describe('Region of the bucket.'),
  s3PathStyle: flag.describe(
    'Whether the bucket is in the path of URLs. With an endpoint, it is, unless this is `false`.',
  ),
  presign: flag.describe(
    'Whether tickets and DRS access of open files link to the bucket, by addresses that are valid for 15 minutes at most.',
  ),
  presignControlled: flag.describe(
    'Whether tickets and DRS access of controlled files link to the bucket as well. Such an address stays valid for its 15 minutes even if the token is revoked.',
  ),
  stateUrl: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'expected postgresql://USER:PASSWORD@HOST:PORT/DATABASE')
    .nullable()
    .default(null)
    .describe(
      'PostgreSQL database for submissions, the registry, tokens, keys, stored files, genes and notifications: `postgresql://USER:PASSWORD@HOST:PORT/DATABASE`. Without it, they are in the data folder.',
    ),
  stateMigrate: flag.describe(
    'Whether a PostgreSQL database is migrated to this version when it is opened. With `false`, run `casemill state migrate`; a database with pending migrations is refused.',
  ),
  publicUrl: z
    .string()
    .refine(
      (address) => isSecretPlace(address) && URL.parse(address)?.pathname === '/',
      'expected https:// and a host, without a path',
    )
    .transform((address) => new URL(address).origin)
    .nullable()
    .default(null)
    .describe(
      'Address at which browsers reach this service, such as `https://data.example.org`. Needed for log-in at an institution.',
    ),
  loginIssuer: z
    .string()
    .refine(isSecretPlace, 'expected https:// and a host')
    .nullable()
    .default(null)
    .describe(
      'Issuer of the institution at which people log in, by OpenID Connect. Without it, nobody can log in, and tokens are made by `casemill token create`.',
    ),
  loginClientId: text.describe('Name under which the institution knows this service.'),
  loginClientSecret: text.describe('Secret that the institution gave to this service.'),
  loginScopes: z
    .string()
    .regex(
      /^openid( [\x21\x23-\x5b\x5d-\x7e]+)*$/,
      'expected openid and further names, separated by blanks',
    )
    .default('openid profile email')
    .describe('Scopes that are requested at log-in. Some institutions need one for groups.'),
  sessionIdleMinutes: count(1, 1440)
    .default(60)
    .describe('Time after its last use at which a session of a person ends.'),
  sessionHours: count(1, 720)
    .default(12)
    .describe('Time after the log-in at which a session of a person ends, whatever its use.'),
  oidcIssuers: list(
    (issuer) => isIssuerAddress(issuer) && isPlainOrigin(issuer),
    'expected URLs with https://, or http:// on this machine, separated by commas',
  ).describe(
    'Issuers whose JWTs are accepted as tokens, separated by commas: URLs exactly as in their claim `iss`. Their rights are those of `casemill access`. By default none.',
  ),
  oidcAudience: text.describe(
    'Audiences for which such a JWT must be issued, separated by commas: names of this service at the issuers.',
  ),
  oidcAlgorithms: list(
    (name) => SIGNING.includes(name),
    `expected some of ${SIGNING.join(', ')}, separated by commas`,
  ).describe(
    'Algorithms by which such a JWT may be signed, separated by commas. By default `RS256,PS256,ES256,EdDSA`.',
  ),
  oidcSkewSeconds: count(0, 300)
    .default(60)
    .describe('Seconds by which the clocks of issuers may differ from that of this service.'),
  oidcRegistry: flag.describe('Whether the registry accepts such a JWT in the header of its key.'),
  dictionary: text.describe(
    'Folder with a dictionary for submissions. By default, the built-in dictionary.',
  ),
})

export type Config = Readonly<z.output<typeof settings>>
type ConfigKey = keyof Config

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
  drainLeadSeconds: 'CASEMILL_DRAIN_LEAD_SECONDS',
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
  consent: 'CASEMILL_CONSENT',
  expressionCells: 'CASEMILL_EXPRESSION_CELLS',
  expressionMemoryBytes: 'CASEMILL_EXPRESSION_MEMORY_BYTES',
  scrubBytesPerSecond: 'CASEMILL_SCRUB_BYTES_PER_SECOND',
  work: 'CASEMILL_WORK',
  reserveBytes: 'CASEMILL_RESERVE_BYTES',
  groupRead: 'CASEMILL_GROUP_READ',
  accelPrefix: 'CASEMILL_ACCEL_PREFIX',
  audit: 'CASEMILL_AUDIT',
  auditAddress: 'CASEMILL_AUDIT_ADDRESS',
  auditDays: 'CASEMILL_AUDIT_DAYS',
  terms: 'CASEMILL_TERMS',
  htsgetIds: 'CASEMILL_HTSGET_IDS',
  privateNetwork: 'CASEMILL_PRIVATE_NETWORK',
  remoteHosts: 'CASEMILL_REMOTE_HOSTS',
  s3Bucket: 'CASEMILL_S3_BUCKET',
  s3Endpoint: 'CASEMILL_S3_ENDPOINT',
  s3Prefix: 'CASEMILL_S3_PREFIX',
  s3Region: 'CASEMILL_S3_REGION',
  s3PathStyle: 'CASEMILL_S3_PATH_STYLE',
  presign: 'CASEMILL_PRESIGN',
  presignControlled: 'CASEMILL_PRESIGN_CONTROLLED',
  stateUrl: 'CASEMILL_STATE_URL',
  stateMigrate: 'CASEMILL_STATE_MIGRATE',
  publicUrl: 'CASEMILL_PUBLIC_URL',
  loginIssuer: 'CASEMILL_LOGIN_ISSUER',
  loginClientId: 'CASEMILL_LOGIN_CLIENT_ID',
  loginClientSecret: 'CASEMILL_LOGIN_CLIENT_SECRET',
  loginScopes: 'CASEMILL_LOGIN_SCOPES',
  sessionIdleMinutes: 'CASEMILL_SESSION_IDLE_MINUTES',
  sessionHours: 'CASEMILL_SESSION_HOURS',
  oidcIssuers: 'CASEMILL_OIDC_ISSUERS',
  oidcAudience: 'CASEMILL_OIDC_AUDIENCE',
  oidcAlgorithms: 'CASEMILL_OIDC_ALGORITHMS',
  oidcSkewSeconds: 'CASEMILL_OIDC_SKEW_SECONDS',
  oidcRegistry: 'CASEMILL_OIDC_REGISTRY',
  dictionary: 'CASEMILL_DICTIONARY',
  algorithmTable: 'CASEMILL_ALGORITHM_TABLE',
  editRules: 'CASEMILL_EDIT_RULES',
})

/** Variables of commands that talk to a server. A user who has both sets them for the server, too. */
const OTHERS_VARIABLES: readonly string[] = ['CASEMILL_TOKEN']

interface ConfigSources {
  /** Usually `process.env`. Only names that start with `CASEMILL_` are read. */
  readonly environment?: Readonly<Record<string, string | undefined>>
  /** Explicit flags take precedence. An `undefined` flag counts as not given. */
  readonly flags?: Readonly<Record<string, unknown>>
}

/**
 * Builds the frozen configuration from defaults, the environment and flags, in ascending precedence.
 * @example readConfig({ environment: process.env, flags: { port: 9000 } }).port // 9000
 * @throws EngineError `bad_input` that names the invalid variable or flag
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
  // A URL may contain a password, so its value is not printed.
  const shown = /URL|ENDPOINT|ISSUER|SECRET/i.test(name) ? 'the value' : quotedName(String(value))
  const message = `setting ${name}: ${shown} is not accepted; ${issue?.message ?? 'see docs/reference/settings.md'}`
  throw new EngineError('bad_input', message, { at: name })
}

/** Description of a setting for the documentation. */
export interface DescribedSetting {
  readonly variable: string
  /** Accepted values, in words. */
  readonly accepted: string
  readonly fallback: string | number | boolean | null
  readonly meaning: string
}

/** Describes all settings in order, from the schema. */
export function describeSettings(): readonly DescribedSetting[] {
  const fallbacks = settings.parse({})
  const keys = Object.keys(variables) as ConfigKey[]
  return keys.map((key) => ({
    variable: variables[key],
    accepted: acceptedValues(settings.shape[key]),
    fallback: fallbacks[key],
    meaning: settings.shape[key].description ?? '',
  }))
}

const acceptedForms = z.object({
  enum: z.array(z.string()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
})

function acceptedValues(setting: z.ZodType): string {
  const schema = z.toJSONSchema(setting, { io: 'output', unrepresentable: 'any' })
  const { enum: words, minimum, maximum } = acceptedForms.parse(schema)
  if (words) return words.map((word) => `\`${word}\``).join(', ')
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}`
  return setting.safeParse(true).success ? '`true`, `false`' : 'text'
}

/** Returns the configuration for display, without the password of the database and the secret of log-in. */
export function shownConfig(config: Config): Config {
  const { stateUrl, loginClientSecret } = config
  return {
    ...config,
    stateUrl: stateUrl && withoutPassword(stateUrl),
    loginClientSecret: loginClientSecret && '***',
  }
}

function withoutPassword(address: string): string {
  const url = URL.parse(address)
  if (!url) return 'postgresql://(not readable)'
  if (url.password !== '') url.password = '***'
  if (url.searchParams.has('password')) url.searchParams.set('password', '***')
  return url.href
}

/** Returns the options of object storage, or `undefined` if no bucket is set. */
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

/** How people log in at an institution. */
export interface LoginSettings {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Scopes, separated by blanks. */
  readonly scopes: string
  /** Origin of this service for browsers. */
  readonly publicUrl: string
  readonly sessionTimes: { readonly idleSeconds: number; readonly absoluteSeconds: number }
}

/**
 * Returns how people log in, or undefined if no issuer is set.
 * @throws EngineError `bad_input` if a setting that log-in needs is missing
 */
export function loginOf(config: Config): LoginSettings | undefined {
  const { loginIssuer: issuer, loginClientId: clientId, loginClientSecret: clientSecret } = config
  const { publicUrl, loginScopes: scopes } = config
  if (issuer === null) return undefined
  const needed = { publicUrl, loginClientId: clientId, loginClientSecret: clientSecret } as const
  if (clientId === null || clientSecret === null || publicUrl === null) {
    const missing = Object.entries(needed).flatMap(([key, value]) =>
      value === null ? [variables[key as ConfigKey]] : [],
    )
    const message = `setting ${variables.loginIssuer} also needs ${missing.join(' and ')}`
    throw new EngineError('bad_input', message, { at: variables.loginIssuer })
  }
  const sessionTimes = {
    idleSeconds: config.sessionIdleMinutes * 60,
    absoluteSeconds: config.sessionHours * 3600,
  }
  return { issuer, clientId, clientSecret, scopes, publicUrl, sessionTimes }
}

const DEFAULT_ALGORITHMS = 'RS256,PS256,ES256,EdDSA'

/**
 * Returns which JWTs are accepted, or `undefined` if no issuer is set.
 * @throws EngineError `bad_input` for issuers without an audience
 */
export function jwtRulesOf(config: Config, fetchDocument: FetchDocument): JwtRules | undefined {
  const issuers = listed(config.oidcIssuers)
  const audiences = listed(config.oidcAudience)
  if (issuers.length === 0) return undefined
  if (audiences.length === 0) {
    const message =
      'CASEMILL_OIDC_ISSUERS is set without CASEMILL_OIDC_AUDIENCE; without one, tokens for other services would be accepted here'
    throw new EngineError('bad_input', message, { at: 'CASEMILL_OIDC_AUDIENCE' })
  }
  return Object.freeze({
    issuers,
    audiences,
    algorithms: listed(config.oidcAlgorithms ?? DEFAULT_ALGORITHMS),
    skewSeconds: config.oidcSkewSeconds,
    acceptsRegistry: config.oidcRegistry === true,
    fetchDocument,
  })
}

/** Returns warnings about settings that are possible together but hardly meant. */
export function doubtsOf(config: Config): readonly string[] {
  const { loginIssuer, loginClientId } = config
  if (loginIssuer === null || loginClientId === null) return []
  const takesIdTokens =
    listed(config.oidcIssuers).includes(loginIssuer) &&
    listed(config.oidcAudience).includes(loginClientId)
  if (!takesIdTokens) return []
  return [
    'CASEMILL_OIDC_AUDIENCE has the value of CASEMILL_LOGIN_CLIENT_ID, so the ID tokens of log-in are accepted as tokens; use another audience for tokens',
  ]
}

/** Returns how the audit record is kept, or `undefined` if it is not. */
export function auditOf({ audit, auditDays }: Config): AuditOptions | undefined {
  return audit === true ? { days: auditDays } : undefined
}

/** Returns which files clients download directly from the bucket. */
export function presigningOf({ presign, presignControlled }: Config): Presigning {
  return { open: presign === true, controlled: presignControlled === true }
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
