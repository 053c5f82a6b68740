import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readArrays } from '../../shared/arrays/array-file.ts'
import { Scratch } from '../../shared/executor.ts'
import { documentsJob } from './document-writer.ts'
import { DOCUMENT_ARRAYS, DocumentReader, type DocumentsHandle } from './documents.ts'

let folder = ''
let count = 0
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'casemill-documents-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function written(source: string) {
  const from = join(folder, `${count}.ndjson`)
  const target = join(folder, String(count++))
  await writeFile(from, source)
  const input = { dataset: 'cases', source: from, folder: target } as const
  const { rows, files } = await documentsJob.run(input, new Scratch())
  const key = join(target, 'documents/cases')
  const { arrays } = await readArrays(`${key}.arrays`, DOCUMENT_ARRAYS)
  const file = `${key}.text`
  const descriptor = openSync(file, 'r')
  onTestFinished(() => closeSync(descriptor))
  const handle: DocumentsHandle = { descriptor, path: 'documents/cases.text', rows, arrays }
  return { handle, file, files }
}

const written1000 = () => {
  const lines = Array.from({ length: 1000 }, (_, i) => JSON.stringify({ i, text: textOf(i) }))
  return written(lines.join('\n')).then((made) => ({ ...made, lines }))
}

/** From about 30 bytes to 40 KB. One text in seven is not ASCII. */
const textOf = (i: number) => (i % 7 === 3 ? 'é€🧬' : 'x').repeat(i % 50 === 0 ? 10_000 : i % 90)

test('documents of every size come back, alone and together', async () => {
  const sizes = [0, 1, 30, 5000, 32_767, 32_768, 65_535, 100_000, 2_000_000, 1, 1, 40_000, 7]
  const lines = sizes.map((size, i) => JSON.stringify({ i, text: 'é'.repeat(size) }))
  const { handle } = await written(lines.join('\n'))
  const reader = new DocumentReader(handle)
  expect(reader.read(lines.map((_, i) => i))).toEqual(lines)
  for (const [row, line] of lines.entries()) expect(reader.read([row])).toEqual([line])
  expect(reader.read([12, 3, 3, 0])).toEqual([12, 3, 3, 0].map((row) => lines[row]))
  expect(handle.arrays.lengths).toBeInstanceOf(Uint32Array)
})

test('spelling, order of members and numbers are kept', async () => {
  const lines = ['{"b":1.0,"a":[ ], "a":"\\u00e9"}', '  {"n":12345678901234567890,"z":null}  ']
  const { handle } = await written(lines.join('\n'))
  expect(new DocumentReader(handle).read([0, 1])).toEqual(lines)
})

test('the text is one line per document, whatever line breaks the source has', async () => {
  const { handle, file, files } = await written('\n{"a":1}\r\n\r\n{"b":"é"}\n\n{"c":3}')
  expect(await readFile(file, 'utf8')).toBe('{"a":1}\n{"b":"é"}\n{"c":3}\n')
  expect(files['documents/cases.text']?.bytes).toBe((await stat(file)).size)
  expect([...handle.arrays.lengths]).toEqual([8, 11, 8])
  expect([...handle.arrays.starts]).toEqual([0, 27])
  expect(new DocumentReader(handle).read([2, 1, 0])).toEqual(['{"c":3}', '{"b":"é"}', '{"a":1}'])
})

describe('rows', () => {
  test.each([
    ['none', []],
    ['the last one', [999]],
    ['beside the edges of groups', [0, 1, 62, 63, 64, 65, 127, 128, 191, 192, 959, 960, 961]],
    ['far apart', [3, 400, 401, 990]],
    ['repeated', [7, 7, 7, 64, 64]],
    ['descending', Array.from({ length: 1000 }, (_, i) => 999 - i)],
    [
      'in no order, some of them repeated',
      Array.from({ length: 2500 }, (_, i) => (i * 7919) % 983),
    ],
    ['all', Array.from({ length: 1000 }, (_, i) => i)],
  ])('%s', async (_, rows) => {
    const { handle, lines } = await written1000()
    const reader = new DocumentReader(handle)
    for (const asked of [rows, Uint32Array.from(rows)]) {
      expect(reader.read(asked)).toEqual(rows.map((row) => lines[row]))
    }
  })

  test.each([-1, 1000, Number.NaN])(
    'that are not there are a mistake of the caller: %d',
    async (row) => {
      const { handle } = await written1000()
      expect(() => new DocumentReader(handle).read([5, row])).toThrow(RangeError)
      expect(() => new DocumentReader(handle).read([row])).toThrow(RangeError)
    },
  )
})

test('lengths take two bytes each as long as they can', async () => {
  const lineOf = (bytes: number) => JSON.stringify('x'.repeat(bytes - 3))
  const { handle: short } = await written(lineOf(65_535))
  expect(short.arrays.lengths).toEqual(Uint16Array.of(65_535))
  const { handle: long } = await written(lineOf(65_536))
  expect(long.arrays.lengths).toEqual(Uint32Array.of(65_536))
  expect(new DocumentReader(long).read([0])).toEqual([lineOf(65_536)])
})

describe('damage is refused by name:', () => {
  const refused = (handle: DocumentsHandle, rows: readonly number[], damaged: number) =>
    expect(() => new DocumentReader(handle).read(rows)).toThrow(
      expect.objectContaining({
        code: 'corrupt_source',
        message: `document ${damaged} of "documents/cases.text" is damaged; import the release again`,
      }),
    )

  test('a changed byte of a text, and only that text', async () => {
    const { handle, file, lines } = await written1000()
    const bytes = await readFile(file)
    const at = bytes.indexOf('{"i":500,')
    bytes.writeUInt8(bytes.readUInt8(at + 5) ^ 1, at + 5)
    await writeFile(file, bytes)
    refused(handle, [500], 500)
    refused(handle, [800, 500, 2], 500)
    expect(new DocumentReader(handle).read([499, 501])).toEqual([lines[499], lines[501]])
  })

  test('a changed line break', async () => {
    const { handle, file } = await written('{"a":1}\n{"b":2}\n')
    await writeFile(file, '{"a":1}\n{"b":2} ')
    refused(handle, [0, 1], 1)
  })

  test('a file that is cut off', async () => {
    const { handle, file, lines } = await written1000()
    await truncate(file, 12_000)
    expect(new DocumentReader(handle).read([1])).toEqual([lines[1]])
    refused(handle, [999], 999)
  })

  test('another length or checksum', async () => {
    const { handle } = await written1000()
    const { lengths, checksums } = handle.arrays
    const change = <T extends Uint16Array | Uint32Array>(array: T, row: number): T => {
      const changed = array.slice() as T
      changed[row] = changed[row]! + 1
      return changed
    }
    refused({ ...handle, arrays: { ...handle.arrays, lengths: change(lengths, 70) } }, [70], 70)
    refused({ ...handle, arrays: { ...handle.arrays, lengths: change(lengths, 70) } }, [71], 71)
    refused({ ...handle, arrays: { ...handle.arrays, checksums: change(checksums, 9) } }, [9], 9)
  })

  test('a file that cannot be read', async () => {
    const { handle } = await written1000()
    refused({ ...handle, descriptor: 1_000_000 }, [3, 4], 3)
  })
})

test('readers may share their memory', async () => {
  const { handle, lines } = await written1000()
  const scratch = new Scratch()
  const [a, b] = [new DocumentReader(handle, scratch), new DocumentReader(handle, scratch)]
  const texts = a.read([0, 1, 2])
  b.read([997, 998, 999])
  expect(texts).toEqual(lines.slice(0, 3))
})
