import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonErrorPlace, jsonErrorText } from './json-error.ts'

function placeIn(text: string) {
  try {
    JSON.parse(text)
  } catch (thrown) {
    return jsonErrorPlace(text, thrown)
  }
  throw new Error(`valid: ${text}`)
}

test.each([
  ['', 1, 1],
  ['{"filters":', 1, 12],
  ['{bad', 1, 2],
  ["{'a':1}", 1, 2],
  ['undefined', 1, 1],
  ['\\', 1, 1],
  ['[1,]', 1, 4],
  ['[,]', 1, 2],
  ['[}', 1, 2],
  ['{"a":}', 1, 6],
  ['{"a":1,}', 1, 8],
  ['{"a" 1}', 1, 6],
  ['{"a":1}}', 1, 8],
  ['[[], {}, [ ], tru]', 1, 15],
  ['["\\"]", ", [", x]', 1, 16],
  ['{"a":[1,{"b": ,', 1, 15],
  ['{"a":"b\nc"}', 1, 8],
  ['{"op":"in",\n "content":{"value":[\n"x",\toops]}}', 3, 6],
])('%j goes wrong at line %i, column %i', (text, line, column) => {
  expect(placeIn(text)).toEqual({ line, column })
})

test('a wrong value is found in any document, whatever stands around it', () => {
  const documents = fc.json({ depthSize: 'medium' })
  const property = fc.property(documents, documents, fc.nat(3), (one, other, breaks) => {
    const before = `{"first":${one},"second":[${'\n'.repeat(breaks)}[],{},${other}, `
    const lines = before.split('\n')
    const expected = { line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }
    expect(placeIn(`${before}oops, ${one}]}`)).toEqual(expected)
  })
  fc.assert(property, { seed: 4, numRuns: 300 })
})

test('is reported in words', () => {
  expect(jsonErrorText('[1,]', new SyntaxError('no place'))).toBe(
    'not valid JSON at line 1, column 4',
  )
})
