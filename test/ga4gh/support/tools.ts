import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

/** The setting without which htslib sends no token to a server without TLS. */
const UNENCRYPTED = { HTS_ALLOW_UNENCRYPTED_AUTHORIZATION_HEADER: 'I understand the risks' }

interface ToolOptions {
  /** The current folder, in which readers of indexes leave a copy. */
  readonly cwd: string
  /** The path of the file with the token, for programs of htslib. */
  readonly tokenFile?: string | undefined
}

/** Runs a program of htslib that reads over HTTP, and returns its output; fails if the program does. */
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

interface Reading extends ToolOptions {
  /** Shell commands in which the output of each `show COMMAND` is compared; `$1`, `$2`… are the words. */
  readonly commands: string
  readonly words: readonly string[]
  /** For each region its text, the address of its ticket, and that of its slice: `$region`, `$ticket`, `$slice`. */
  readonly regions: readonly (readonly string[])[]
}

/**
 * Returns the md5 of each command's output by region; fails if one of them does. One shell handles all of them,
 * because starting a process from a large one is slow.
 */
export async function readRegions(reading: Reading): Promise<readonly (readonly string[])[]> {
  const { commands, words, regions, tokenFile } = reading
  const cwd = await mkdtemp(join(reading.cwd, 'read-'))
  await writeFile(join(cwd, 'regions'), regions.map((one) => `${one.join('\t')}\n`).join(''))
  const show = 'show() { "$@" >printed || exit 1; md5sum <printed | cut -c-32; }'
  const script = `${show}
while read -r region ticket slice; do
  ${commands}
  echo
done <regions`
  const printed = await runTool('sh', ['-c', script, 'sh', ...words], { cwd, tokenFile })
  const ofRegions = printed.toString().split('\n\n').slice(0, -1)
  return ofRegions.map((sums) => sums.split('\n'))
}
