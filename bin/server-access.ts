import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { EngineError } from '../engine/shared/index.ts'
import { Broken, ResponseError, Spoiled } from './get/errors.ts'

// Helpers of commands that use a server instead of the data folder.

/** Silence in milliseconds after which a request is abandoned and retried. */
export const SILENCE_MS = 60_000

/**
 * Parses the URL of a server, for commander.
 * @throws InvalidArgumentError if it is not an http or https URL without user, password and query
 */
export function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search) {
    throw new InvalidArgumentError('Give a URL such as https://host:port.')
  }
  return url
}

/** Returns a parser for whole numbers from 1 to `most`, for commander. */
export function wholeNumber(most: number) {
  return (text: string): number => {
    const number = /^\d{1,6}$/.test(text) ? Number(text) : 0
    if (number < 1 || number > most) {
      throw new InvalidArgumentError(`Give a number from 1 to ${most}.`)
    }
    return number
  }
}

/**
 * Reads the token from a file or the environment. It is never an argument, which other users of the machine
 * could see.
 * @throws EngineError `bad_input` if the token is empty or has other than printable ASCII characters
 */
export async function readToken(file: string | undefined): Promise<string | undefined> {
  const text = file === undefined ? process.env.CASEMILL_TOKEN : await readFile(file, 'utf8')
  const token = text?.trim()
  if (token === undefined || (token === '' && file === undefined)) return undefined
  if (/^[\x21-\x7e]{1,16384}$/.test(token)) return token
  const place = file === undefined ? 'CASEMILL_TOKEN' : `"${basename(file)}"`
  throw new EngineError(
    'bad_input',
    `${place} does not contain a token, which is one line of ASCII`,
  )
}

/** Adds the server's address to an error that a server caused. */
export function errorOf(server: URL, error: unknown): unknown {
  const isOfServer =
    error instanceof ResponseError || error instanceof Broken || error instanceof Spoiled
  return isOfServer ? new EngineError('unavailable', `${server.origin}: ${error.message}`) : error
}
