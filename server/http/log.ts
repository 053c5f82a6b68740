import { type DestinationStream, type Logger, pino } from 'pino'
import type { Config } from '../config.ts'
import { logText } from './log-text.ts'

export type Log = Logger

// Our code does not log headers, but errors of libraries may contain them.
const secrets = ['x-auth-token', 'authorization', 'cookie', 'x-seerapi-key'].flatMap((name) => [
  `["${name}"]`,
  `headers["${name}"]`,
  `*.headers["${name}"]`,
])

/** Destination of the log. On a terminal, the log is formatted for people. */
interface LogDestination extends DestinationStream {
  readonly isTTY?: boolean
}

/** Creates a log of JSON lines, or of text on a terminal, by default on standard output. */
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
