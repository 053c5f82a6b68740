import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FormatError } from '../../shared/formats/format-error.ts'
import { splitElements } from './json-elements.ts'

async function split(text: string | Uint8Array, cuts: readonly number[] = [], maxBytes?: number) {
  const bytes = Buffer.from(text)
  const ends = [...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b)
  const chunks = ends.map((end, i) => bytes.subarray(ends[i - 1] ?? 0, end))
  const found: { value: unknown; line: number }[] = []
  for await (const elements of splitElements(chunks, maxBytes)) {
    for (const { bytes: element, line } of elements) {
      found.push({ value: JSON.parse(element.toString('utf8')), line })
    }
  }
  return found
}
const values = async (text: string) => (await split(text)).map(({ value }) => value)

const A = { file_id: 'a', text: 'with "quotes", [brackets] and \\', n: [1, [2]] }
const B = { file_id: 'b', x: { data: { hits: [1] } } }

test.each([
  ['an array', JSON.stringify([A, B])],
  ['an indented array', JSON.stringify([A, B], null, 2)],
  ['newline-delimited records', `${JSON.stringify(A)}\n${JSON.stringify(B)}\n`],
  ['records without a last line break', `${JSON.stringify(A)}\r\n${JSON.stringify(B)}`],
  ['arrays one after another', `${JSON.stringify([A])} ${JSON.stringify([B])}`],
  [
    'a list envelope',
    JSON.stringify({ data: { hits: [A, B], pagination: { total: 2 } }, warnings: {} }),
  ],
  [
    'an envelope whose hits come last',
    JSON.stringify(
      { warnings: { hits: [1] }, data: { pagination: { a: [1] }, hits: [A, B] } },
      null,
      1,
    ),
  ],
  ['an array under data', JSON.stringify({ data: [A, B], warnings: {} })],
  ['a byte order mark', `\ufeff${JSON.stringify([A, B])}`],
])('%s is cut into its records', async (_, text) => {
  expect(await values(text)).toEqual([A, B])
})

test('a single record and its envelope are one record', async () => {
  expect(await values(JSON.stringify(A, null, 1))).toEqual([A])
  const single = { data: { summary: { hits: 3 }, project_id: 'P' }, warnings: {} }
  expect(await values(JSON.stringify(single))).toEqual([single])
})

test('empty lists hold nothing', async () => {
  for (const text of [
    '[]',
    ' [ ] ',
    '{"data":{"hits":[],"pagination":{}},"warnings":{}}',
    '',
    '\n',
  ]) {
    expect(await values(text)).toEqual([])
  }
})

test('members called hits elsewhere are no envelope', async () => {
  for (const record of [{ hits: [1, 2] }, { a: { hits: [1] } }, { data: { a: { hits: [1] } } }]) {
    expect(await values(JSON.stringify(record))).toEqual([record])
  }
})

test('scalars are elements too, so that a bad list is told element by element', async () => {
  expect(await values('[1, "a", null, true,-2.5e3]')).toEqual([1, 'a', null, true, -2500])
  expect(await values('1\n"a"\nnull')).toEqual([1, 'a', null])
})

test('each record knows its line', async () => {
  const found = await split('[\n  {"a":\n1},\n\n {"b":"x\\ny"}, {"c":3}\n]')
  expect(found.map(({ line }) => line)).toEqual([2, 5, 5])
})

test.each([
  ['[{"a":1}', 'ends inside a value'],
  ['[{"a":"x', 'ends inside a value'],
  ['{"data":{"hits":[{"a":1}', 'ends inside a value'],
  ['[1]]', 'line 1 closes what was never opened'],
])('%s is refused', async (text, message) => {
  await expect(values(text)).rejects.toThrow(message)
  await expect(values(text)).rejects.toBeInstanceOf(FormatError)
})

test('a record longer than the bound is refused, whether or not it ends in the same chunk', async () => {
  const text = JSON.stringify(['x'.repeat(100)])
  const problem = 'the record that begins in line 1 is longer than 0 MiB'
  await expect(split(text, [], 50)).rejects.toThrow(problem)
  await expect(split(text, [30, 60, 90], 50)).rejects.toThrow(problem)
  await expect(split(text, [30, 60, 90], 102)).resolves.toHaveLength(1)
})

test('cuts between chunks, anywhere, change nothing', async () => {
  const record = fc.dictionary(
    fc.constantFrom('a', 'data', 'hits', 'q"\\', 'ü€😀'),
    fc.jsonValue({ maxDepth: 3 }),
    { maxKeys: 4 },
  )
  const wrappings = [
    (records: unknown[]) => JSON.stringify(records),
    (records: unknown[]) => JSON.stringify(records, null, 2),
    (records: unknown[]) => records.map((each) => JSON.stringify(each)).join('\n'),
    (records: unknown[]) => JSON.stringify({ data: { hits: records, x: [] }, y: 1 }),
  ]
  await fc.assert(
    fc.asyncProperty(
      fc.array(record, { maxLength: 4 }),
      fc.nat(wrappings.length - 1),
      fc.array(fc.nat(10_000), { maxLength: 30 }),
      async (records, wrapping, cuts) => {
        const text = wrappings[wrapping]!(records)
        const whole = await split(text)
        const isPlain = wrapping !== 2 || records.every((each) => !('data' in each))
        if (isPlain)
          expect(whole.map(({ value }) => value)).toEqual(JSON.parse(JSON.stringify(records)))
        expect(await split(text, cuts)).toEqual(whole)
      },
    ),
    { numRuns: 400, seed: 3 },
  )
})
