import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Outcome } from '../../bin/get/wanted.ts'
import { type Ended, runProgram, startProgram } from '../../bin/support/program.ts'
import { md5Of } from './stub-server.ts'

export function makeFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'casemill-get-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

type Environment = Readonly<Record<string, string>>

export const startGet = (args: readonly string[], environment: Environment = {}) =>
  startProgram(wordsOf(args), environmentOf(environment))

export const runGet = (args: readonly string[], environment: Environment = {}): Promise<Ended> =>
  runProgram(wordsOf(args), environmentOf(environment))

const wordsOf = (args: readonly string[]) => ['get', ...args]
const environmentOf = (environment: Environment) => ({ CASEMILL_TOKEN: '', ...environment })

/** The objects that `--json` wrote, by id. */
export function outcomesOf({ out }: Ended): Map<string, Outcome> {
  const lines = out.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => JSON.parse(line) as Outcome).map((each) => [each.id, each]))
}

/** The md5 of all files below a folder by path. */
export function md5sBelow(folder: string): Record<string, string> {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    found
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), md5Of(readFileSync(path))]),
  )
}
