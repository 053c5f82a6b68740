import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config.ts'

export type Log = Logger

// Nothing of ours logs headers; this is for the day when a library's error carries them.
const secrets = ['x-auth-token', 'authorization', 'cookie', 'x-seerapi-key'].flatMap((name) => [
  `["${name}"]`,
  `headers["${name}"]`,
  `*.headers["${name}"]`,
])

/** JSON lines on standard output, or wherever a test wants to read them. */
export function createLog(config: Pick<Config, 'logLevel'>, destination?: DestinationStream): Log {
  const options = {
    level: config.logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: [...secrets, 'token', '*.token'], censor: '[redacted]' },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}
