import { once } from 'node:events'
import { mkdir, open } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { inject } from 'vitest'

/** Below the range from which systems draw the ports of whoever asks for any. */
const FIRST = 20_000
const COUNT = 10_000

/**
 * A port of this machine that nobody listens on, for a program that cannot choose one by itself. No other
 * test of the run gets it, nor does the system give it to anybody.
 */
export async function freePort(): Promise<number> {
  const claims = join(inject('runFolder'), 'ports')
  await mkdir(claims, { recursive: true })
  for (let i = 0; i < COUNT; i++) {
    // Runs beside this one begin elsewhere.
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
