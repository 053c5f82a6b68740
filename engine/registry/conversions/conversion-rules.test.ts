import { expect, test } from 'vitest'
import { parseConversion } from './conversion-rules.ts'

test('a rule has assignments, recodings and a review', () => {
  const text = `convert B0020
name: Two  words
when: a is given
  and b in (1-2)
set: c = '1', d = empty, e = f
recode: g (A -> B, 'x y' -> empty), h (070 -> 080)
review: Look.
`
  expect(parseConversion(text)).toMatchObject([
    {
      number: 'B0020',
      name: 'Two words',
      set: [
        { item: 'c', value: { kind: 'code', code: '1' } },
        { item: 'd', value: { kind: 'empty' } },
        { item: 'e', value: { kind: 'item', item: 'f' } },
      ],
      recode: [
        {
          item: 'g',
          codes: new Map([
            ['A', 'B'],
            ['x y', ''],
          ]),
        },
        { item: 'h', codes: new Map([['070', '080']]) },
      ],
      review: 'Look.',
      reads: ['a', 'b', 'f', 'g', 'h'],
      writes: ['c', 'd', 'e', 'g', 'h'],
    },
  ])
})

test.each([
  ['name: One', /line 1, column 1: A0010: it changes nothing; give set:, recode: or review:/],
  ["set: a = '1'", /line 1, column 1: A0010 lacks name/],
  ["name: One\nset: a = '1'\nset: b = '1'", /line 4, column 1: A0010 has set already/],
  ["name: One\nset: a = '1', a = '2'", /it changes a twice/],
  ["name: One\nset: a = ''", /a code such as '9', or empty/],
  ["name: One\nset: a = '1' b = '2'", /line 3, column 14: there is b; give a comma or the end/],
  ['name: One\nrecode: a (1 -> 2, 1 -> 3)', /line 3, column 20: 1 of a is there twice/],
  ['name: One\nrecode: a (1 - 2)', /line 3, column 14: .*not understood/],
  ['name: One\nrecode: a (1, 2)', /there is ,; give ->/],
  ['name: One\nrequire: a', /give name:, when:, set:, recode:, review: or convert NUMBER/],
])('%j is refused with its place', (lines, message) => {
  expect(() => parseConversion(`convert A0010\n${lines}\n`)).toThrow(message)
})
