import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Line, MAX_LINE_BYTES, splitLines } from './lines.ts'

async function split(text: string | Uint8Array, size = 3) {
  const bytes = Buffer.from(text)
  const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
  const found: Line[] = []
  for await (const lines of splitLines(chunks)) found.push(...lines)
  return found
}

test('lines end with LF, CRLF or the text; empty ones are left out but counted', async () => {
  const text = '\ufeffa\tb\r\n\nü\r\n\r\nlast'
  for (const size of [1, 2, 3, 100]) {
    expect(await split(text, size)).toEqual([
      { line: 1, text: 'a\tb' },
      { line: 3, text: 'ü' },
      { line: 5, text: 'last' },
    ])
  }
  expect(await split('')).toEqual([])
})

test('invalid UTF-8 is refused with its line, also if it is truncated at the end', async () => {
  const notUtf8 = 'line 2 is not UTF-8'
  await expect(split(Buffer.from([0x61, 0x0a, 0xff, 0x0a]))).rejects.toThrow(notUtf8)
  await expect(split(Buffer.from([0x61, 0x0a, 0xc3]), 2)).rejects.toThrow(notUtf8)
})

test('a line that never ends is refused before it fills the memory', async () => {
  let taken = 0
  function* endless() {
    for (;;) {
      taken += 1 << 16
      yield new Uint8Array(1 << 16).fill(0x61)
    }
  }
  const reading = async () => {
    for await (const lines of splitLines(endless())) expect(lines).toEqual([])
  }
  await expect(reading()).rejects.toThrow(`line 1 is longer than ${MAX_LINE_BYTES} bytes`)
  expect(taken).toBeLessThan(2 * MAX_LINE_BYTES)
})

test('any lines come back, in any pieces, with and without a last line break', async () => {
  const line = fc.string({ unit: 'binary' }).map((text) => text.replace(/[\r\n\ufeff]/g, ''))
  const breaks = fc.constantFrom('\n', '\r\n')
  const property = fc.asyncProperty(
    fc.array(fc.tuple(line, breaks)),
    fc.integer({ min: 1, max: 9 }),
    fc.boolean(),
    async (written, size, isEnded) => {
      const text = written.map((one) => one.join('')).join('')
      const expected = written.flatMap(([text], i) => (text === '' ? [] : [{ line: i + 1, text }]))
      expect(await split(isEnded ? text : text.replace(/\r?\n$/, ''), size)).toEqual(expected)
    },
  )
  await fc.assert(property, { seed: 2, numRuns: 300 })
})

test('carriage returns within a line are text, and no other byte ends it', async () => {
  expect(await split('a\rb\u2028c\u0085d\n"e\nf"')).toEqual([
    { line: 1, text: 'a\rb\u2028c\u0085d' },
    { line: 2, text: '"e' },
    { line: 3, text: 'f"' },
  ])
})
