import { once } from 'node:events'
import { mkdir, open } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'

/** The lowest port, which is below the range that systems assign automatically. */
const FIRST = 20_000
const COUNT = 10_000

/**
 * Returns an unused port of this machine, for a program that cannot choose one itself. No other test of the run
 * gets it, and the system does not assign it.
 */
export async function freePort(): Promise<number> {
  const claims = join(inject('runFolder'), 'ports')
  await mkdir(claims, { recursive: true })
  for (let i = 0; i < COUNT; i++) {
    // Concurrent runs start at other ports.
    const port = FIRST + ((process.pid * 31 + i) % COUNT)
    if ((await claim(join(claims, String(port)))) && (await isFree(port))) return port
  }
  throw new Error(`none of the ports from ${FIRST} to ${FIRST + COUNT - 1} is free`)
}

async function claim(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx')).close()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return true
  } catch {
    return false
  } finally {
    await new Promise<void>((resolve) => void server.close(() => resolve()))
  }
}
