import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import { logText } from './log-text.ts'

export type Log = Logger

// Nothing of ours logs headers; this is for the day when a library's error carries them.
const secrets = ['x-auth-token', 'authorization', 'cookie', 'x-seerapi-key'].flatMap((name) => [
  `["${name}"]`,
  `headers["${name}"]`,
  `*.headers["${name}"]`,
])

/** Where a log goes to; whether it is a terminal, before which a person sits. */
export interface LogDestination extends DestinationStream {
  readonly isTTY?: boolean
}

/** Lines of JSON, or of text for a person at a terminal, on standard output or wherever they are wanted. */
export function createLog(
  { logLevel, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  destination?: LogDestination,
): Log {
  const options = {
    level: logLevel,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: [...secrets, 'token', '*.token'], censor: '[redacted]' },
  }
  const shown = destination ?? process.stdout
  const isText = logFormat === 'auto' ? shown.isTTY === true : logFormat === 'text'
  if (isText) return pino(options, { write: (line) => shown.write(logText(line)) })
  return destination === undefined ? pino(options) : pino(options, destination)
}
