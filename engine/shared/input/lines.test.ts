import { expect, test } from 'vitest'
import { type Line, splitLines } from './lines.ts'

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

test('what is no UTF-8, or never ends, is refused by line', async () => {
  await expect(split(Buffer.from([0x61, 0x0a, 0xff, 0x0a]))).rejects.toThrow('line 2 is not UTF-8')
  await expect(split(Buffer.alloc(5 << 20, 'x'), 1 << 20)).rejects.toThrow(
    'line 1 is longer than 4194304 bytes',
  )
})
