import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Download {
  /** The server's address, such as `http://127.0.0.1:8080`; a slash at its end is doubled in paths. */
  readonly server: string
  readonly folder: string
  readonly ids?: readonly string[]
  /** The path of a manifest. */
  readonly manifest?: string
  readonly token?: string
  readonly latest?: true
  /** The number of connections for a large file. */
  readonly processes?: number
  /** The number of further rounds for failed files. */
  readonly retries?: number
}

export interface Downloaded {
  readonly succeeded: number
  readonly failed: number
  /** The client's complete output. */
  readonly said: string
}

export const DEFAULTS = { processes: 3, retries: 1 } as const

/** A client that downloads as gdc-client does. */
export interface TransferClient {
  readonly name: string
  download(what: Download): Promise<Downloaded>
}

/** The real client, if it is installed. */
export function installedClient(program: string): TransferClient {
  return {
    name: 'gdc-client',
    async download({ server, folder, ids = [], manifest, token, latest, ...numbers }) {
      const { processes, retries } = { ...DEFAULTS, ...numbers }
      const place = await mkdtemp(join(tmpdir(), 'casemill-client-'))
      try {
        const secret = join(place, 'token')
        await writeFile(secret, `${token ?? ''}\n`, { mode: 0o600 })
        const words = [
          ...['download', '-s', server, '-d', folder, '-n', String(processes), '--color_off'],
          ...['--retry-amount', String(retries), '--wait-time', '0.2'],
          ...(manifest === undefined ? [] : ['-m', manifest]),
          ...(token === undefined ? [] : ['-t', secret]),
          ...(latest ? ['--latest'] : []),
          ...ids,
        ]
        const said = await outputOf(program, words)
        return { succeeded: countIn(said, 'Successfully downloaded'), failed: failedIn(said), said }
      } finally {
        await rm(place, { recursive: true })
      }
    },
  }
}

function outputOf(program: string, words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    // The exit code is not 0 if files are missing, which some tests expect.
    execFile(program, words, { maxBuffer: 1 << 26 }, (_, out, err) => resolve(`${out}\n${err}`))
  })
}

const countIn = (said: string, what: string) =>
  Number(new RegExp(`${what}: (\\d+)`).exec(said)?.[1] ?? 0)

const failedIn = (said: string) => countIn(said, 'Failed downloads')
