import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'vitest'
import { runProgram } from '../bin/support/program.ts'

const EXAMPLES = join(import.meta.dirname, '../examples')

/** Returns the output of an example, by line and cell. */
export async function example(name: string, ...words: readonly string[]): Promise<string[][]> {
  const args = ['--conditions=casemill-source', join(EXAMPLES, `${name}.ts`), ...words]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'))
}

/** Runs a command of the program, which must succeed. */
export async function casemill(...words: readonly string[]): Promise<void> {
  expect(await runProgram(words)).toMatchObject({ status: 0 })
}
