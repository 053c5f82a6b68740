import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteSink } from './byte-sink.ts'

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
  new DataView(buffer, byteOffset, byteLength)

const written = (write: (sink: ByteSink) => void) => {
  const sink = new ByteSink(Buffer.alloc(0))
  write(sink)
  return Buffer.from(sink.take()).toString('latin1')
}

test('integers are written as String writes them', () => {
  const edges = [0, 9, 10, 999_999_999, 1e9, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER]
  const check = (value: number) => {
    expect(written((sink) => sink.integer(value))).toBe(String(value))
  }
  for (const edge of edges)
    for (const value of [edge, -edge - 1]) if (Number.isSafeInteger(value)) check(value)
  fc.assert(fc.property(fc.maxSafeInteger(), check), { seed: 1 })
})

test('16 bytes are written as hex digits and as a UUID', () => {
  const bytes = fc.uint8Array({ minLength: 16, maxLength: 20 })
  fc.assert(
    fc.property(bytes, (source) => {
      const start = source.length - 16
      const hex = Buffer.from(source.subarray(start)).toString('hex')
      expect(written((sink) => sink.hex(source, start))).toBe(hex)
      const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20)]
      expect(written((sink) => sink.uuid(source, start))).toBe([...parts, hex.slice(20)].join('-'))
    }),
    { seed: 2 },
  )
})

test('bytes are copied from any place, letters upper-case where a bit says so', () => {
  const texts = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 40 }), { minLength: 1 })
  fc.assert(
    fc.property(texts, (given) => {
      const all = Buffer.from(given.join(''))
      const folded = Buffer.from(given.join('').toLowerCase())
      const upper = new Uint8Array((all.length + 7) >> 3)
      for (const [i, byte] of all.entries()) {
        if (byte !== folded[i]) upper[i >> 3] = upper[i >> 3]! | (1 << (i & 7))
      }
      let start = 0
      for (const text of given) {
        const end = start + text.length
        expect(written((sink) => sink.copyRaised(viewOf(folded), start, end, upper))).toBe(text)
        expect(written((sink) => sink.copy(viewOf(all), start, end))).toBe(text)
        start = end
      }
    }),
    { seed: 3 },
  )
})

test('what was written is taken back', () => {
  const text = written((sink) => {
    sink.text('abc')
    sink.cutTo(1)
    sink.text('d')
    sink.replace(0, 0x78)
  })
  expect(text).toBe('xd')
})
