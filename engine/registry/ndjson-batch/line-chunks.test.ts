import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { LONGEST_LINE } from './limits.ts'
import { lineChunks } from './line-chunks.ts'

async function chunksOf(sent: readonly Uint8Array[]) {
  const chunks: { number: number; lines: string[] }[] = []
  for await (const { number, memory, start } of lineChunks(
    (async function* () {
      yield* sent
    })(),
    (bytes) => new Uint8Array(new SharedArrayBuffer(bytes + 5)),
  )) {
    chunks.push({
      number,
      lines: Buffer.from(memory.subarray(start)).toString('latin1').split('\n'),
    })
  }
  return chunks
}

test('chunks put together are the lines, however the bytes come', async () => {
  const text = fc.array(fc.constantFrom('\n', 'a', 'bc'), { maxLength: 700 })
  const property = fc.asyncProperty(text, fc.array(fc.nat(40)), async (parts, cuts) => {
    const all = Buffer.from(parts.join(''))
    const sent: Uint8Array[] = []
    let start = 0
    for (const cut of cuts) {
      sent.push(all.subarray(start, start + cut))
      start += cut
    }
    sent.push(all.subarray(start))
    let number = 1
    let whole = ''
    for (const chunk of await chunksOf(sent)) {
      expect(chunk.number).toBe(number)
      const count = chunk.lines.at(-1) === '' ? chunk.lines.length - 1 : chunk.lines.length
      expect(count).toBeGreaterThan(0)
      expect(count).toBeLessThanOrEqual(256)
      number += count
      whole += chunk.lines.join('\n')
    }
    expect(whole).toBe(all.toString())
  })
  await fc.assert(property, { seed: 6, numRuns: depth(60, 300) })
})

test('of a line that is too long only a byte too many is held, and the next line is whole', async () => {
  const long = Buffer.alloc(3 << 16, 'x')
  const sent = [...Array.from({ length: 20 }, () => long), Buffer.from('\nnext\n')]
  const [first, ...rest] = await chunksOf(sent)
  expect(rest).toEqual([])
  expect(first?.number).toBe(1)
  expect(first?.lines.map((line) => line.length)).toEqual([LONGEST_LINE + 1, 4, 0])
})

test('a line of a million parts of one byte is put together at once', async () => {
  const byte = Buffer.from('x')
  const sent = Array.from({ length: LONGEST_LINE }, () => byte)
  const [only] = await chunksOf(sent)
  expect(only?.lines[0]).toHaveLength(LONGEST_LINE)
})
