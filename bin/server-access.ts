import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { InvalidArgumentError } from 'commander'
import { EngineError } from '../engine/shared/index.ts'
import { Broken, ResponseError, Spoiled } from './get/errors.ts'

// What commands have in common that ask a server instead of the data folder.

/** A server that sends nothing for so long is given up and asked again. */
export const SILENCE_MS = 60_000

export function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search) {
    throw new InvalidArgumentError('Give an address such as https://host:port.')
  }
  return url
}

export function wholeNumber(most: number) {
  return (text: string): number => {
    const number = /^\d{1,6}$/.test(text) ? Number(text) : 0
    if (number < 1 || number > most) {
      throw new InvalidArgumentError(`Give a number from 1 to ${most}.`)
    }
    return number
  }
}

/** Never from an argument, which others on the machine could see. */
export async function readToken(file: string | undefined): Promise<string | undefined> {
  const text = file === undefined ? process.env.CASEMILL_TOKEN : await readFile(file, 'utf8')
  const token = text?.trim()
  if (token === undefined || (token === '' && file === undefined)) return undefined
  if (/^[\x21-\x7e]{1,16384}$/.test(token)) return token
  const place = file === undefined ? 'CASEMILL_TOKEN' : `"${basename(file)}"`
  throw new EngineError('bad_input', `${place} does not hold a token, which is one line of ASCII`)
}

/** An error of a server, with its address, for people. */
export function errorOf(server: URL, error: unknown): unknown {
  const isOfServer =
    error instanceof ResponseError || error instanceof Broken || error instanceof Spoiled
  return isOfServer ? new EngineError('unavailable', `${server.origin}: ${error.message}`) : error
}
