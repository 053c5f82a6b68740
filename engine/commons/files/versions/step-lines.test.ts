import { closeSync, openSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readArrays } from '../../../shared/arrays/array-file.ts'
import { inlineExecutor } from '../../../shared/executor.ts'
import { STEP_ARRAYS } from '../../release/layout.ts'
import type { VersionStep } from './step.ts'
import { indexStepsJob, writeStepIndex } from './step-index.ts'
import { StepLines } from './step-lines.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-steps-'))
})
afterAll(() => rm(folder, { recursive: true }))

const linesOf = (steps: readonly VersionStep[]) =>
  steps.map((step) => `${JSON.stringify(step)}\n`).join('')

/** Opens a history file with these lines and calls a function with it. */
async function opened<T>(text: string | Buffer, use: (lines: StepLines) => T): Promise<T> {
  const path = join(folder, 'versions.ndjson')
  await writeFile(path, text)
  const descriptor = openSync(path, 'r')
  try {
    const input = { descriptor, bytes: Buffer.byteLength(text) }
    const arrays = await inlineExecutor.run(indexStepsJob, input)
    return use(new StepLines({ descriptor, arrays }))
  } finally {
    closeSync(descriptor)
  }
}

test('lines are found by their id and by that of their successor', async () => {
  const steps = Array.from({ length: 5000 }, (_, i) => ({
    id: `file-${i}`,
    // Some lines are long, so that reads end within them, and not all characters are one byte.
    filename: 'ä'.repeat(i % 97 === 0 ? 20_000 : i % 50),
    next: { id: `later-${i % 4000}` },
  }))
  await opened(linesOf(steps), (lines) => {
    for (const step of steps) expect(lines.step(step.id)).toEqual(step)
    for (let i = 0; i < 4000; i++) {
      expect(lines.before(`later-${i}`)).toEqual([i, i + 4000].flatMap((j) => steps[j] ?? []))
    }
    expect(lines.step('later-1')).toBeUndefined()
    expect(lines.before('file-1')).toEqual([])
  })
})

test('a last line without a line break is found as the others are', async () => {
  const steps = [
    { id: 'a', next: { id: 'b' } },
    { id: 'b', filename: 'é', next: { id: 'c' } },
  ]
  for (const end of ['', '\n', '\r\n']) {
    const text = steps.map((step) => JSON.stringify(step)).join(end || '\n') + end
    await opened(text, (lines) => {
      expect(['a', 'b'].map((id) => lines.step(id))).toEqual(steps)
      expect(lines.before('c')).toEqual([steps[1]])
    })
  }
  await opened('{"id":"alone"}', (lines) => expect(lines.step('alone')).toEqual({ id: 'alone' }))
})

test('lines of every length around the size of a read are found', async () => {
  const read = 1 << 20
  const lengths = [30, read, read - 1, 31, read + 1, 2 * read, read / 2, read / 2 + 1, 33]
  const steps = lengths.map((length, i) => {
    const bare = JSON.stringify({ id: `f${i}`, filename: '' }).length
    return { id: `f${i}`, filename: 'x'.repeat(length - bare) }
  })
  for (const text of [linesOf(steps), linesOf(steps).trimEnd()]) {
    await opened(text, (lines) => {
      for (const step of steps) expect(lines.step(step.id)).toEqual(step)
    })
  }
})

test('ids of one hash are distinguished', async () => {
  expect(crc32('plumless')).toBe(crc32('buckeroo'))
  const steps = [
    { id: 'buckeroo', next: { id: 'x' } },
    { id: 'other', next: { id: 'plumless' } },
  ]
  await opened(linesOf(steps), (lines) => {
    expect(lines.step('buckeroo')).toEqual(steps[0])
    expect(lines.step('plumless')).toBeUndefined()
    expect(lines.before('plumless')).toEqual([steps[1]])
    expect(lines.before('buckeroo')).toEqual([])
  })
})

test('a release without replaced files has none', () => {
  const lines = new StepLines(undefined)
  expect([lines.step('a'), lines.before('a')]).toEqual([undefined, []])
})

test('an empty history file has no lines', async () => {
  await opened('', (lines) => {
    expect([lines.step('a'), lines.before('a')]).toEqual([undefined, []])
  })
})

test('the index that is written is the one that is made', async () => {
  const from = join(folder, 'written.ndjson')
  const to = join(folder, 'written.arrays')
  await writeFile(from, linesOf([{ id: 'A', next: { id: 'B' } }, { id: 'C' }]))
  await writeStepIndex({ from, to }, inlineExecutor)
  const descriptor = openSync(from, 'r')
  const { size: bytes } = await stat(from)
  const made = await inlineExecutor.run(indexStepsJob, { descriptor, bytes })
  const { arrays } = await readArrays(to, STEP_ARRAYS)
  expect(arrays).toEqual({ ...made })
  const lines = new StepLines({ descriptor, arrays })
  expect([lines.step('a')?.id, lines.step('c')?.id, lines.before('b').length]).toEqual([
    'A',
    'C',
    1,
  ])
  closeSync(descriptor)
})

test('a damaged line is reported by its number and not quoted', async () => {
  const notUtf8 = Buffer.from('{"id":"b\xff"}', 'latin1')
  for (const bad of ['{"id":"b"', '{"filename":"secret"}', 'null', '', '\r', notUtf8]) {
    for (const end of ['', '\n', '\n{"id":"c"}']) {
      if (bad === '' && end === '') continue
      const bytes = Buffer.concat(['{"id":"a"}\n', bad, end].map((part) => Buffer.from(part)))
      await expect(opened(bytes, () => {})).rejects.toMatchObject({
        code: 'corrupt_source',
        message: "line 2 of the release's history is damaged; import the release again",
      })
    }
  }
})

test('a line with a changed byte is an error', async () => {
  const text = linesOf([{ id: 'a', filename: 'x' }, { id: 'b' }])
  await opened(text, (lines) => {
    writeFileSync(join(folder, 'versions.ndjson'), text.replace('"x"', '"y"'))
    expect(lines.step('b')).toEqual({ id: 'b' })
    expect(() => lines.step('a')).toThrow(/^line 1 of the release's history is damaged/)
  })
})

test('a file that was cut off is reported', async () => {
  const text = linesOf([{ id: 'a' }, { id: 'b' }])
  await opened(text, (lines) => {
    truncateSync(join(folder, 'versions.ndjson'), text.length - 2)
    expect(lines.step('a')).toEqual({ id: 'a' })
    expect(() => lines.step('b')).toThrow(
      expect.objectContaining({
        code: 'corrupt_source',
        message: "the release's history is cut off; import the release again",
      }),
    )
  })
})
