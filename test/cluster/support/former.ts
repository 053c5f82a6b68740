import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { bareEnvironment } from '../../bare-environment.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** An earlier version of the program, whose packages this one has, too. */
const FORMER = '2385aa9b'
const MAX_OUTPUT = 64 << 20

const git = (...words: readonly string[]) =>
  spawnSync('git', words, { cwd: ROOT, maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] })

/** Whether the history has the earlier version; a shallow clone or a package has not. */
export const hasFormer = (): boolean => git('cat-file', '-e', `${FORMER}^{commit}`).status === 0

/** Writes the earlier version into a new folder. */
export function checkOutFormer(folder: string): void {
  mkdirSync(folder)
  const { stdout } = git('archive', FORMER)
  execFileSync('tar', ['-x', '-C', folder], { input: stdout })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

/** The end of a command. */
interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program of a checkout, whatever its exit status. */
export async function runIn(
  checkout: string,
  words: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const [program = '', ...rest] = words
  const env = { ...bareEnvironment(), ...settings }
  const all = [join(checkout, program), ...rest]
  try {
    const options = { env, maxBuffer: MAX_OUTPUT }
    return { code: 0, ...(await promisify(execFile)(process.execPath, all, options)) }
  } catch (error) {
    const { code, stdout, stderr } = error as Ended
    return { code, stdout, stderr }
  }
}
