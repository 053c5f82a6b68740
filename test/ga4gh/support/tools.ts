import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { promisify } from 'node:util'

/** What htslib asks for before it sends a token to a server without TLS. */
const UNENCRYPTED = { HTS_ALLOW_UNENCRYPTED_AUTHORIZATION_HEADER: 'I understand the risks' }

export interface ToolOptions {
  /** Readers of indexes leave a copy of them in the current folder. */
  readonly cwd: string
  /** Where the token is, for programs of htslib. */
  readonly tokenFile?: string | undefined
}

/** Runs a program of htslib that reads over HTTP; gives what it prints, and fails when it does. */
export async function runTool(
  program: string,
  words: readonly string[],
  { cwd, tokenFile }: ToolOptions,
): Promise<Buffer> {
  const auth = tokenFile === undefined ? {} : { ...UNENCRYPTED, HTS_AUTH_LOCATION: tokenFile }
  const options = { cwd, maxBuffer: 1 << 29, encoding: 'buffer', env: { ...process.env, ...auth } }
  const { stdout } = await promisify(execFile)(program, words, options)
  return stdout as unknown as Buffer
}

export const md5 = (bytes: Uint8Array): string => hash('md5', bytes)
