import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'

// Independent implementations with which tests compare: Python and R packages from Debian.

/** The maximum number of bytes that a script may print. */
const MAX_OUTPUT = 256 << 20

// Debian's packages belong to this python3; an earlier one on the path may differ.
export const PYTHON = existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3'

/** Runs a Python script with `args` as its sys.argv[1:], and returns its output. */
export async function runPython(script: string, args: readonly string[] = []): Promise<string> {
  const options = { maxBuffer: MAX_OUTPUT }
  return (await promisify(execFile)(PYTHON, ['-c', script, ...args], options)).stdout
}

/** Runs an R script with `args` as its commandArgs(TRUE), and returns its output. */
export async function runR(script: string, args: readonly string[] = []): Promise<string> {
  const options = { maxBuffer: MAX_OUTPUT }
  const { stdout } = await promisify(execFile)('Rscript', ['-e', script, ...args], options)
  return stdout
}
