import { z } from 'zod'
import { EngineError } from '../engine/index.ts'

const KiB = 1024
const MiB = 1024 * KiB

/** A number as flags give it, or its digits as the environment does; nothing is guessed. */
const count = (least: number, most: number) =>
  z
    .union([z.number(), z.string().regex(/^\d+$/).transform(Number)], 'expected a whole number')
    .pipe(z.number().int().min(least).max(most))

const settings = z.object({
  /** 0 lets the system choose a free port. */
  port: count(0, 65_535).default(8080),
  /** Loopback until someone decides otherwise: the service may hold controlled data. */
  host: z.string().min(1).default('127.0.0.1'),
  data: z.string().min(1).default('data'),
  logLevel: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  bodyBytes: count(KiB, 1024 * MiB).default(16 * MiB),
  /** Request line and headers together; Node counts them as one. */
  headerBytes: count(4 * KiB, MiB).default(64 * KiB),
  drainSeconds: count(0, 3600).default(30),
  stallSeconds: count(1, 3600).default(120),
})

export type Config = Readonly<z.output<typeof settings>>
export type ConfigKey = keyof Config

const variables: Readonly<Record<ConfigKey, string>> = Object.freeze({
  port: 'CASEMILL_PORT',
  host: 'CASEMILL_HOST',
  data: 'CASEMILL_DATA',
  logLevel: 'CASEMILL_LOG_LEVEL',
  bodyBytes: 'CASEMILL_BODY_BYTES',
  headerBytes: 'CASEMILL_HEADER_BYTES',
  drainSeconds: 'CASEMILL_DRAIN_SECONDS',
  stallSeconds: 'CASEMILL_STALL_SECONDS',
})

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
  const name = given.get(String(issue?.path[0]))?.name ?? 'settings'
  throw new EngineError('bad_input', `setting ${name}: ${issue?.message ?? 'not accepted'}`, {
    at: name,
  })
}

function unknownSetting(name: string, names: readonly string[]): EngineError {
  return new EngineError(
    'bad_input',
    `setting ${name} is unknown; use one of ${names.join(', ')}`,
    {
      at: name,
    },
  )
}
