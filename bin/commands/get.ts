import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Command, InvalidArgumentError } from 'commander'
import { EngineError } from '../../engine/shared/index.ts'
import { IssuesFound } from '../frame.ts'
import { Broken, ResponseError } from '../get/errors.ts'
import { getFiles } from '../get/get-files.ts'
import { Link } from '../get/link.ts'
import { readManifest, uniteWanted } from '../get/manifest.ts'
import { isPlainId } from '../get/names.ts'
import { openReport } from '../get/report.ts'
import { PATIENCE } from '../get/trip.ts'
import type { Terminal } from '../terminal.ts'

/** A server that sends nothing for so long is given up and asked again. */
const SILENCE_MS = 60_000

interface Options {
  readonly server: URL
  readonly manifest: readonly string[]
  readonly dir: string
  readonly tokenFile?: string
  readonly connections: number
  readonly tries: number
  readonly latest?: true
  readonly related?: true
  readonly json?: true
}

const collect = (value: string, before: readonly string[]) => [...before, value]

/** `casemill get --server URL [ID…]` */
export function getCommand(terminal: Terminal): Command {
  return new Command('get')
    .description(
      'fetch files from a server, with resume and proof of md5; exit status 1 if any failed',
    )
    .argument('[ids...]', 'ids of files')
    .requiredOption('--server <url>', 'address of the interface, here or elsewhere', serverUrl)
    .option('-m, --manifest <file>', 'table of files to fetch; may be repeated', collect, [])
    .option('-d, --dir <dir>', 'where to put them, each into a folder named by its id', '.')
    .option('--token-file <file>', 'file with a token; else the variable CASEMILL_TOKEN, if set')
    .option('-n, --connections <number>', 'connections at the same time', wholeNumber(64), 4)
    .option('--tries <number>', 'tries without progress before a file fails', wholeNumber(100), 8)
    .option('--latest', 'fetch the latest version of each file')
    .option('--related', 'fetch index files too, into the folder of their file')
    .option('--json', 'one JSON object per file')
    .action(async (ids: string[], options: Options, command: Command) => {
      const wanted = uniteWanted([
        ids.map(wantedId),
        ...(await Promise.all(options.manifest.map(readManifest))),
      ])
      if (wanted.length === 0) command.error('no file is named; give ids or --manifest FILE')
      await get(wanted, options, terminal)
    })
}

async function get(
  wanted: Parameters<typeof getFiles>[0]['wanted'],
  options: Options,
  terminal: Terminal,
) {
  const { server, dir, connections, tries, latest = false, related = false, json = false } = options
  const { signal } = terminal
  const token = await readToken(options.tokenFile)
  const link = new Link({ server, token, silenceMs: SILENCE_MS, signal })
  const report = openReport(terminal, { json })
  try {
    await getFiles({
      link,
      wanted,
      folder: dir,
      connections,
      latest,
      related,
      signal,
      patience: { ...PATIENCE, tries },
      ...report,
    })
  } catch (error) {
    if (!(error instanceof ResponseError || error instanceof Broken)) throw error
    throw new EngineError('unavailable', `${server.origin}: ${error.message}`)
  } finally {
    report.close()
    link.close()
  }
  if (report.failed() > 0) throw new IssuesFound(`${report.failed()} files failed`)
}

function wantedId(id: string) {
  if (isPlainId(id)) return { id, folder: id }
  throw new EngineError('bad_input', `"${id}" is not a file id; letters, digits, - _ . are`)
}

function serverUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search) {
    throw new InvalidArgumentError('Give an address such as https://host:port.')
  }
  return url
}

function wholeNumber(most: number) {
  return (text: string): number => {
    const number = /^\d{1,6}$/.test(text) ? Number(text) : 0
    if (number < 1 || number > most) {
      throw new InvalidArgumentError(`Give a number from 1 to ${most}.`)
    }
    return number
  }
}

/** Never from an argument, which others on the machine could see. */
async function readToken(file: string | undefined): Promise<string | undefined> {
  const text = file === undefined ? process.env.CASEMILL_TOKEN : await readFile(file, 'utf8')
  const token = text?.trim()
  if (token === undefined || (token === '' && file === undefined)) return undefined
  if (/^[\x21-\x7e]{1,16384}$/.test(token)) return token
  const place = file === undefined ? 'CASEMILL_TOKEN' : `"${basename(file)}"`
  throw new EngineError('bad_input', `${place} does not hold a token, which is one line of ASCII`)
}
