import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import * as fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { depth } from '../../test/depth.ts'
import { bytesOfLine, cutLines, withGzipKnown } from './cut-lines.ts'
import { inputAt } from './plan.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'casemill-cut-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Writes inputs with the given contents. */
async function inputsOf(contents: readonly (string | Buffer)[]) {
  const inputs = []
  for (const [i, content] of contents.entries()) {
    const path = join(folder, `${i}.ndjson`)
    writeFileSync(path, content)
    inputs.push(await inputAt(path))
  }
  return withGzipKnown(inputs)
}

// Most lines are short. Some are longer than one read that looks for the end of a line.
const line = fc.oneof(
  { weight: 8, arbitrary: fc.string({ maxLength: 20 }).map((text) => text.replaceAll('\n', '')) },
  { weight: 1, arbitrary: fc.integer({ min: 65_530, max: 140_000 }).map((n) => 'x'.repeat(n)) },
)
const content = fc
  .record({
    lines: fc.array(line, { maxLength: 30 }),
    end: fc.constantFrom('\n', '\r\n'),
    isEnded: fc.boolean(),
  })
  .map(({ lines, end, isEnded }) => lines.join(end) + (isEnded && lines.length > 0 ? end : ''))

test('every byte is in one shard, in order, and no line is in two', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(content, { minLength: 1, maxLength: 4 }),
      fc.oneof(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 200_000 })),
      async (contents, bytes) => {
        const shards = await cutLines(await inputsOf(contents), bytes)
        const taken = contents.map(() => '')
        let last = 0
        for (const [i, pieces] of shards.entries()) {
          let size = 0
          for (const { input, start, end } of pieces) {
            const text = Buffer.from(contents[input] ?? '')
            expect(input).toBeGreaterThanOrEqual(last)
            last = input
            // A part starts where the part before it has ended, and ends with a line or with the file.
            expect(start).toBe(Buffer.byteLength(taken[input] ?? ''))
            expect(end).toBeGreaterThan(start)
            const piece = text.subarray(start, end).toString()
            expect(piece.endsWith('\n') || end === text.length).toBe(true)
            taken[input] += piece
            size += end - start
          }
          // No shard except the last is smaller than requested.
          if (i + 1 < shards.length) expect(size).toBeGreaterThanOrEqual(bytes)
        }
        expect(taken).toEqual(contents)
      },
    ),
    { seed: 83, numRuns: depth(40, 150) },
  )
})

test('a cut is behind the first line that ends at or behind its place', async () => {
  const inputs = await inputsOf(['aaa\nbbb\nccc\n'])
  // A line ends after the fourth byte. After the fifth, the next line has begun.
  expect(await cutLines(inputs, 4)).toEqual([
    [{ input: 0, start: 0, end: 4 }],
    [{ input: 0, start: 4, end: 8 }],
    [{ input: 0, start: 8, end: 12 }],
  ])
  expect(await cutLines(inputs, 5)).toEqual([
    [{ input: 0, start: 0, end: 8 }],
    [{ input: 0, start: 8, end: 12 }],
  ])
})

test('small files share a shard, and one that is gzip has its own', async () => {
  const packed = gzipSync('ddd\n')
  const shards = await cutLines(await inputsOf(['aaa\n', '', 'bbb', packed, 'ccc\n']), 100)
  expect(shards.map((pieces) => pieces.map(({ input }) => input))).toEqual([[0, 2], [3], [4]])
  expect(shards[1]).toEqual([{ input: 3, start: 0, end: packed.length }])
})

test('files without lines are one shard without pieces', async () => {
  expect(await cutLines(await inputsOf(['', '']), 10)).toEqual([[]])
})

test('bytes of a line are those of lines all over the file', async () => {
  const lines = Array.from({ length: 100_000 }, (_, i) => 'x'.repeat(i < 50_000 ? 9 : 49))
  const inputs = await inputsOf([`${lines.join('\n')}\n`])
  const mean = readFileSync(join(folder, '0.ndjson')).length / lines.length
  expect(await bytesOfLine(inputs)).toBeGreaterThan(mean / 2)
  expect(await bytesOfLine(inputs)).toBeLessThan(mean * 2)
})
