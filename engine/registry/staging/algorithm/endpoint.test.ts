import { expect, test } from 'vitest'
import { parseEndpoint } from './endpoint.ts'

// From rule 10 of registry.md.
test.each([
  ['VALUE:a:b', { type: 'VALUE', value: 'a:b' }],
  [' VALUE : x ', { type: 'VALUE', value: 'x' }],
  ['VALUE:', { type: 'VALUE', value: '' }],
  ['VALUE', { type: 'VALUE', value: undefined }],
  ['JUMP:next', { type: 'JUMP', table: 'next' }],
  ['MATCH', { type: 'MATCH' }],
  ['STOP', { type: 'STOP' }],
  ['ERROR', { type: 'ERROR', message: '' }],
  ['ERROR: no code ', { type: 'ERROR', message: 'no code' }],
])('%j is read', (cell, wanted) => {
  expect(parseEndpoint(cell, 'rows[0][0]')).toEqual(wanted)
})

test.each(['', 'value:x', 'GO:there', 'JUMP', 'JUMP: ', null])(
  '%j is refused by its place',
  (cell) => {
    expect(() => parseEndpoint(cell, 'rows[3][1]')).toThrow(
      expect.objectContaining({
        code: 'bad_input',
        at: 'rows[3][1]',
        message: expect.stringContaining('"rows[3][1]"'),
      }),
    )
  },
)
