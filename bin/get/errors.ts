/** HTTP statuses after which a retry may succeed. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** Thrown if the server answered with an error status. */
export class ResponseError extends Error {
  override readonly name = 'ResponseError'
  readonly status: number
  /** Seconds to wait, from Retry-After. */
  readonly retryAfter: number | undefined

  constructor(status: number, message: string, retryAfter?: number) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
  }

  /** Whether a retry of the request may succeed. */
  get isPassing(): boolean {
    return PASSING.has(this.status)
  }
}

/** Explanations of system error codes. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there; see whether the server runs, and its port',
  ECONNRESET: 'the server broke it off',
  EPIPE: 'the server broke it off',
  ENOTFOUND: 'there is no host of that name; correct the address',
  EAI_AGAIN: 'the name of the host cannot be looked up now; see whether there is a network',
  ETIMEDOUT: 'there was no response in time; see whether the server runs, and the network',
  EHOSTUNREACH: 'no network leads there; see whether the server runs, and the network',
  ENETUNREACH: 'no network leads there; see whether there is a network',
}

/** Thrown if the connection failed or was silent for too long. */
export class Broken extends Error {
  override readonly name = 'Broken'
  /** False if a retry cannot succeed, as for an unknown host or a bad certificate. */
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

/** Thrown if received bytes are wrong or of two different files. `turns` is the number of useful attempts. */
export class Spoiled extends Error {
  override readonly name = 'Spoiled'
  readonly turns: number

  constructor(message: string, turns: number) {
    super(message)
    this.turns = turns
  }
}

/** Parses a Retry-After header, which is a number or a date, to seconds. */
export function retrySeconds(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}

/** File system error codes that mean that something else has the path of a file. */
const BLOCKED_CODES: ReadonlySet<string> = new Set([
  'EISDIR',
  'ENOTDIR',
  'EEXIST',
  'ENOTEMPTY',
  'EACCES',
  'EPERM',
  'ELOOP',
  'ENAMETOOLONG',
])

/** Returns whether an error comes from the file system, such as a full disk, and would affect other files, too. */
export function isDiskError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

/** Returns why this file cannot be fetched. Returns undefined if the error would affect other files, too. */
export function reasonOfFile(error: unknown): string | undefined {
  const isOfFile =
    error instanceof ResponseError || error instanceof Broken || error instanceof Spoiled
  if (isOfFile) return error.message
  const { code } = isDiskError(error) ? error : {}
  return code !== undefined && BLOCKED_CODES.has(code)
    ? `its place cannot be used: ${code}`
    : undefined
}
