import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

// Independent implementations that tests compare with: Python and R packages as Debian has them.

/** Bytes that a script may print. */
const MAX_OUTPUT = 256 << 20

// Where Debian's packages are: a python3 earlier on the path may be another one.
export const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/** Runs a Python script; `args` are its sys.argv[1:]. Gives what it prints. */
export async function runPython(script: string, args: readonly string[] = []): Promise<string> {
  const options = { maxBuffer: MAX_OUTPUT }
  return (await promisify(execFile)(PYTHON, ['-c', script, ...args], options)).stdout
}

/** Runs an R script; `args` are its commandArgs(TRUE). Gives what it prints. */
export async function runR(script: string, args: readonly string[] = []): Promise<string> {
  const options = { maxBuffer: MAX_OUTPUT }
  const { stdout } = await promisify(execFile)('Rscript', ['-e', script, ...args], options)
  return stdout
}
