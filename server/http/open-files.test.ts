import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { maxConnections, readOpenFilesLimit } from './open-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'casemill-limits-'))

afterAll(() => rmSync(folder, { recursive: true }))

function limitOf(line: string): number | undefined {
  const path = join(folder, 'limits')
  const before = 'Max processes             62835                62835                processes '
  writeFileSync(path, `${before}\n${line}\nMax locked memory         8388608   8388608   bytes\n`)
  return readOpenFilesLimit(path)
}

// The text is as described in proc_pid_limits(5).
test('the limit of open files is the soft one that the system gives', () => {
  expect(
    limitOf('Max open files            1024                 524288               files     '),
  ).toBe(1024)
  const none = 'Max open files            unlimited            unlimited            files     '
  expect(limitOf(none)).toBeUndefined()
  expect(readOpenFilesLimit(join(folder, 'missing'))).toBeUndefined()
})

test('each connection counts two descriptors, its own and a file, and a reserve is kept', () => {
  expect(maxConnections(undefined)).toBe(Number.POSITIVE_INFINITY)
  for (const openFiles of [16, 256, 1024, 20_000, 1_048_576]) {
    const connections = maxConnections(openFiles)
    const reserve = openFiles - 2 * connections
    expect(reserve).toBeGreaterThanOrEqual(Math.min(256, openFiles / 4))
    expect(reserve).toBeLessThan(Math.min(256, openFiles / 4) + 2)
  }
})
