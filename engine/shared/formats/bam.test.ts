import { describe, expect, test } from 'vitest'
import { parseHeader, sortOrder } from './bam.ts'

/** A header as SAM specification 4.2 lays it out. */
function headerOf(text: string, references: readonly (readonly [name: string, length: number])[]) {
  const number = (value: number) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32LE(value)
    return bytes
  }
  const named = references.flatMap(([name, length]) => {
    const bytes = Buffer.from(`${name}\0`)
    return [number(bytes.length), bytes, number(length)]
  })
  const start = [Buffer.from('BAM\x01'), number(Buffer.byteLength(text)), Buffer.from(text)]
  return Buffer.concat([...start, number(references.length), ...named])
}

const REFERENCES = [
  ['chr1', 248_956_422],
  ['HLA-A*01:01:01:01', 3503],
  ['naïve', 2 ** 31],
] as const

describe('a header', () => {
  const bytes = headerOf('@HD\tVN:1.6\tSO:coordinate\n', REFERENCES)

  test('has its references, and ends behind the last', () => {
    const header = parseHeader(Buffer.concat([bytes, Buffer.from('record')]))
    expect(header).toMatchObject({ names: REFERENCES.map(([name]) => name) })
    expect(header).toMatchObject({ byteLength: bytes.length })
    expect(header).toMatchObject({ lengths: Uint32Array.from(REFERENCES, ([, length]) => length) })
  })

  test('that is cut off says how many bytes are needed, and never more than it has', () => {
    for (let length = 0; length < bytes.length; length++) {
      const needed = parseHeader(bytes.subarray(0, length))
      expect(needed).toBeGreaterThan(length)
      expect(needed).toBeLessThanOrEqual(bytes.length)
    }
  })
})

describe('the sort order', () => {
  test.each([
    ['@HD\tVN:1.6\tSO:coordinate\n@SQ\tSN:chr1\tLN:9\n', 'coordinate'],
    ['@HD\tSO:queryname\tVN:1.6\r\n', 'queryname'],
    ['@HD\tVN:1.6\tSO:coordinate\0\0\0', 'coordinate'],
    ['@HD\tVN:1.6\n@CO\tSO:coordinate\n', undefined],
    ['@CO\tfirst\n@HD\tVN:1.6\tSO:coordinate\n', undefined],
    ['', undefined],
  ])('of %j is %s', (text, expected) => {
    const header = parseHeader(headerOf(text, []))
    if (typeof header === 'number') throw new Error('header is cut off')
    expect(sortOrder(header)).toBe(expected)
  })
})
