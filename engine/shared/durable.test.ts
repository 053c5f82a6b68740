import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeDurably } from './durable.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-durable-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** The script of a process that is killed while it writes the second piece of a file. */
const SCRIPT = `
  import { writeDurably } from ${JSON.stringify(new URL('durable.ts', import.meta.url).href)}
  function* pieces() {
    yield 'half'
    process.kill(process.pid, 'SIGKILL')
  }
  await writeDurably(process.argv[1], process.argv[2], pieces())
`
function writeKilled(name: string): void {
  const { signal } = spawnSync(process.execPath, [
    '--input-type=module',
    '-e',
    SCRIPT,
    folder,
    name,
  ])
  expect(signal).toBe('SIGKILL')
}

test('what killed processes left of a file goes when it is written again', async () => {
  writeKilled('pointer')
  writeKilled('pointer')
  writeKilled('other')
  await writeDurably(folder, 'pointer', 'whole')
  const left = readdirSync(folder).map((name) => name.split('.part-')[0])
  expect(left.toSorted()).toEqual(['.other', 'pointer'])
  expect(readFileSync(join(folder, 'pointer'), 'utf8')).toBe('whole')
})

test('several writings of a file at once do not disturb each other', async () => {
  const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`)
  await Promise.all(texts.map((text) => writeDurably(folder, 'pointer', text)))
  expect(readdirSync(folder)).toEqual(['pointer'])
  expect(texts).toContain(readFileSync(join(folder, 'pointer'), 'utf8'))
})
