import fc from 'fast-check'
import { expect, test } from 'vitest'
import { indentJson } from './indent-json.ts'

const indented = (text: string, depth = 0) =>
  Buffer.from(indentJson(Buffer.from(text), depth)).toString()

test('JSON is put on lines as JSON.stringify puts it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
      expect(indented(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2))
    }),
    { seed: 26 },
  )
})

test('numbers stay as they are, and strings too', () => {
  expect(indented('{"a":1.0,"b\\"{":"[,:\\\\"}')).toBe('{\n  "a": 1.0,\n  "b\\"{": "[,:\\\\"\n}')
})

test('parts of a text are put on the same lines as all of it', () => {
  const parts: [string, number][] = [
    ['{"a":[{"b":[]}', 0],
    [',{"b":[1', 2],
    [',2]}', 4],
    [',3],"c":{}}', 2],
  ]
  const whole = JSON.parse(parts.map(([text]) => text).join(''))
  const lines = parts.map(([text, depth]) => indented(text, depth)).join('')
  expect(lines).toBe(JSON.stringify(whole, null, 2))
})
