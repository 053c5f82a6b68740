import { Command } from 'commander'
import { EngineError } from '../../engine/shared/index.ts'
import { IssuesFound } from '../frame.ts'
import { getFiles } from '../get/get-files.ts'
import { Link } from '../get/link.ts'
import { readManifest, uniteWanted } from '../get/manifest.ts'
import { isPlainId } from '../get/names.ts'
import { openReport } from '../get/report.ts'
import { PATIENCE } from '../get/trip.ts'
import { errorOf, readToken, SILENCE_MS, serverUrl, wholeNumber } from '../server-access.ts'
import type { Terminal } from '../terminal.ts'

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

/** Command `casemill get --server URL [ID…]`. */
export function getCommand(terminal: Terminal): Command {
  return new Command('get')
    .description(
      'download files from a server, resume and verify their MD5; exit status 1 if any failed',
    )
    .argument('[ids...]', 'ids of files')
    .requiredOption('--server <url>', 'URL of the server', serverUrl)
    .option('-m, --manifest <file>', 'manifest of files to download; can be repeated', collect, [])
    .option('-d, --dir <dir>', 'target folder; each file gets a subfolder named by its id', '.')
    .option('--token-file <file>', 'file with a token; by default the variable CASEMILL_TOKEN')
    .option('-n, --connections <number>', 'number of concurrent connections', wholeNumber(64), 4)
    .option(
      '--tries <number>',
      'attempts without progress before a file fails',
      wholeNumber(100),
      8,
    )
    .option('--latest', 'download the latest version of each file')
    .option('--related', 'also download index files, into the folder of their file')
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
    throw errorOf(server, error)
  } finally {
    report.close()
    link.close()
  }
  if (report.failed() > 0) throw new IssuesFound(`${report.failed()} files failed`)
}

function wantedId(id: string) {
  if (isPlainId(id)) return { id, folder: id }
  throw new EngineError('bad_input', `"${id}" is not a file id; it can have letters, digits, - _ .`)
}
