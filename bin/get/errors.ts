/** Statuses after which the same request may well succeed. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** The server answered, and not with what was asked for. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
  readonly status: number
  /** Seconds the server wants to be left alone. */
  readonly retryAfter: number | undefined

  constructor(status: number, message: string, retryAfter?: number) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }

  get isPassing(): boolean {
    return PASSING.has(this.status)
  }
}

/** What the system's codes mean to who wants files. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; see whether the server runs, and its port',
  ECONNRESET: 'the server broke it off',
  EPIPE: 'the server broke it off',
  ENOTFOUND: 'there is no host of that name; correct the address',
  EAI_AGAIN: 'the name of the host cannot be looked up now; see whether there is a network',
  ETIMEDOUT: 'there was no answer in time; see whether the server runs, and the network',
  EHOSTUNREACH: 'no network leads there; see whether the server runs, and the network',
  ENETUNREACH: 'no network leads there; see whether there is a network',
}

/** The connection failed, or went silent. */
export class Broken extends Error {
  override readonly name = 'Broken'
  /** False for what another try cannot change, such as an unknown host or a bad certificate. */
  readonly isPassing: boolean

  constructor(message: string, isPassing = true) {
    super(message)
    this.isPassing = isPassing
  }

  static by(error: NodeJS.ErrnoException): Broken {
    const { code = '', message } = error
    const isLasting = /^(ENOTFOUND|EPROTO|ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)/
    const reason = REASONS[code] ?? (message || code)
    return new Broken(`the connection failed: ${reason}`, !isLasting.test(code))
  }
}

/** The bytes that came are not those of one file; `turns` is how often fetching is worth a try. */
export class Spoiled extends Error {
  override readonly name = 'Spoiled'
  readonly turns: number

  constructor(message: string, turns: number) {
    super(message)
    this.turns = turns
  }
}

/** Seconds of a Retry-After header, which is a number or a date. */
export function retrySeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

/** What the file system says when something else is at a file's place. */
const BLOCKED_CODES: ReadonlySet<string> = new Set([
  ...['EISDIR', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG'],
])

/** Errors of the file system, such as a full disk, would befall other files too. */
export function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** Why this one file cannot be had; undefined for what would befall the others too. */
export function reasonOfFile(error: unknown): string | undefined {
  const isOfFile =
    error instanceof ResponseError || error instanceof Broken || error instanceof Spoiled
  if (isOfFile) return error.message
  const { code } = isDiskError(error) ? error : {}
  return code !== undefined && BLOCKED_CODES.has(code)
    ? `its place cannot be used: ${code}`
    : undefined
}
