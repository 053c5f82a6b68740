import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LONGEST_LINE } from './limits.ts'
import { linePieces } from './line-pieces.ts'

async function piecesOf(chunks: readonly Uint8Array[]) {
  const pieces: { number: number; lines: string[] }[] = []
  for await (const { number, memory, start } of linePieces(
    (async function* () {
      yield* chunks
    })(),
    (bytes) => new Uint8Array(new SharedArrayBuffer(bytes + 5)),
  )) {
    pieces.push({
      number,
      lines: Buffer.from(memory.subarray(start)).toString('latin1').split('\n'),
    })
  }
  return pieces
}

test('pieces put together are the lines, however the bytes come', async () => {
  const text = fc.array(fc.constantFrom('\n', 'a', 'bc'), { maxLength: 700 })
  const property = fc.asyncProperty(text, fc.array(fc.nat(40)), async (parts, cuts) => {
    const all = Buffer.from(parts.join(''))
    const chunks: Uint8Array[] = []
    let start = 0
    for (const cut of cuts) {
      chunks.push(all.subarray(start, start + cut))
      start += cut
    }
    chunks.push(all.subarray(start))
    let number = 1
    let whole = ''
    for (const piece of await piecesOf(chunks)) {
      expect(piece.number).toBe(number)
      const count = piece.lines.at(-1) === '' ? piece.lines.length - 1 : piece.lines.length
      expect(count).toBeGreaterThan(0)
      expect(count).toBeLessThanOrEqual(256)
      number += count
      whole += piece.lines.join('\n')
    }
    expect(whole).toBe(all.toString())
  })
  await fc.assert(property, { seed: 6, numRuns: 300 })
})

test('of a line that is too long only a byte too many is kept, and the next line is whole', async () => {
  const long = Buffer.alloc(3 << 16, 'x')
  const chunks = [...Array.from({ length: 20 }, () => long), Buffer.from('\nnext\n')]
  const [first, ...rest] = await piecesOf(chunks)
  expect(rest).toEqual([])
  expect(first?.number).toBe(1)
  expect(first?.lines.map((line) => line.length)).toEqual([LONGEST_LINE + 1, 4, 0])
})

test('a line of a million chunks of one byte is put together at once', async () => {
  const byte = Buffer.from('x')
  const chunks = Array.from({ length: LONGEST_LINE }, () => byte)
  const [only] = await piecesOf(chunks)
  expect(only?.lines[0]).toHaveLength(LONGEST_LINE)
})
