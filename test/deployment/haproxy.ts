import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { documented, type Places } from './documented.ts'

export interface Haproxy {
  /** The output so far, of checks and requests. */
  said(): string
  close(): Promise<void>
}

/** Starts HAProxy with the documented configuration; the caller waits until it answers. */
export async function startHaproxy(places: Places): Promise<Haproxy> {
  const folder = await mkdtemp(join(tmpdir(), 'casemill-haproxy-'))
  const path = join(folder, 'haproxy.cfg')
  // The user of the tests may be unable to become another user.
  const own = { '  user haproxy\n': '', '  group haproxy\n': '' }
  await writeFile(path, await documented('haproxy/haproxy.cfg', { ...own, ...places }))
  const child = spawn('haproxy', ['-db', '-f', path], { stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-100_000)
    })
  }
  return {
    said: () => said,
    async close() {
      child.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
