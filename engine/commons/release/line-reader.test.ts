import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { LineReader } from './line-reader.ts'

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-lines-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function linesOf(content: string | Uint8Array): Promise<[number, string][]> {
  const path = join(folder, 'x.ndjson')
  await writeFile(path, content)
  const reader = new LineReader(path)
  const lines: [number, string][] = []
  try {
    while (reader.next()) {
      const { bytes, start, end, number } = reader
      if (bytes[end] !== 10 && bytes[end] !== 13) expect.fail(`line ${number} has no end`)
      lines.push([number, bytes.toString('utf8', start, end)])
    }
    return lines
  } finally {
    reader.close()
  }
}

test('lines come with their numbers, empty ones are left out', async () => {
  const expected = [
    [1, 'one'],
    [3, 'three'],
    [5, 'five'],
  ]
  for (const end of ['', '\n', '\n\n', '\r\n']) {
    expect(await linesOf(`one\n\nthree\r\n\r\nfive${end}`)).toEqual(expected)
  }
  expect(await linesOf('')).toEqual([])
  expect(await linesOf('\n\n')).toEqual([])
})

test('lines of every length around the size of a read come whole', async () => {
  const lengths = [1, 1 << 20, (1 << 20) - 1, 5, (1 << 20) + 1, 3 << 20, 2, (1 << 19) + 1, 1 << 19]
  const lines = lengths.map((length, i) => 'abcdefghi'.charAt(i).repeat(length))
  for (const end of ['', '\n']) {
    const read = await linesOf(lines.join('\n') + end)
    expect(read.map(([, line]) => line.length)).toEqual(lengths)
    expect(read.every(([, line], i) => line === lines[i])).toBe(true)
  }
})

test('lines tell where in the file they begin, read through a descriptor that stays open', async () => {
  const lines = Array.from({ length: 3000 }, (_, i) => 'é'.repeat(i % 7 === 0 ? 4000 : i % 50))
  const content = Buffer.from(lines.join('\n'))
  const path = join(folder, 'offsets.ndjson')
  await writeFile(path, content)
  const file = await open(path, 'r')
  try {
    const reader = new LineReader(file.fd)
    while (reader.next()) {
      const { byteOffset, start, end, number } = reader
      const line = content.toString('utf8', byteOffset, byteOffset + end - start)
      expect(line).toBe(lines[number - 1])
    }
    expect(reader.number).toBe(lines.length)
    reader.close()
    expect((await file.stat()).size).toBe(content.length)
  } finally {
    await file.close()
  }
})

test('characters that are cut by the end of a read come whole', async () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `${'é€😀'.repeat(10)}${i}`)
  const read = await linesOf(lines.join('\n'))
  expect(read.every(([, line], i) => line === lines[i])).toBe(true)
})

test.each([
  ['in a line', 2, ['ok\nx', '\xff', '\nok\n']],
  ['cut off at the end', 2, ['ok\nx', '\xc3']],
  ['behind empty lines', 4, ['\n\r\nx\n', '\xff', '\nok\n\xff\n']],
  ['after many reads', 3_001, [`${'twelve bytes'.repeat(100)}\n`.repeat(3_000), 'x\xff', '\nok']],
])('bytes that are no UTF-8 are refused by line (%s)', async (_, line, parts) => {
  const content = Buffer.from(parts.join(''), 'latin1')
  await expect(linesOf(content)).rejects.toMatchObject({
    code: 'bad_input',
    message: `line ${line} is not UTF-8`,
  })
})

test('a line without end is refused', async () => {
  await expect(linesOf(Buffer.alloc(66 << 20, 'x'))).rejects.toMatchObject({
    code: 'bad_input',
    message: 'line 1 is longer than 64 MiB',
  })
})
