import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Outcome } from '../../bin/get/wanted.ts'
import { md5Of } from './stub-server.ts'

const PROGRAM = fileURLToPath(new URL('../../bin/casemill.ts', import.meta.url))

export interface Ended {
  readonly status: number | null
  readonly signal: string | null
  readonly out: string
  readonly err: string
}

export function makeFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'casemill-get-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

export function startGet(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): ChildProcessByStdio<null, Readable, Readable> {
  const env = { ...process.env, CASEMILL_TOKEN: '', ...environment }
  return spawn(process.execPath, [PROGRAM, 'get', ...args], {
    ...{ env, stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'] },
  })
}

export async function runGet(
  args: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<Ended> {
  const child = startGet(args, environment)
  const [out, err, [status, signal]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { status, signal, out, err }
}

/** The objects that `--json` wrote, by id. */
export function outcomesOf({ out }: Ended): Map<string, Outcome> {
  const lines = out.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => JSON.parse(line) as Outcome).map((each) => [each.id, each]))
}

/** All files below a folder with their md5, by path. */
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
