import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { publicData } from '../../../fixtures/public-data.ts'
import { available } from '../../../test/available.ts'
import { readDictionary } from '../naaccr-xml/read-dictionary.ts'
import { parseRules } from './rule-file.ts'
import { SHIPPED_RULES } from './shipped-rules.ts'

const RULE = `edit A0010
name: One
require: a = '1'
message: Correct it.
`

test('rules are read in their order, with lines that go on and comments', () => {
  const text = `\uFEFF# ours\r
edit B0020
name: Two  words
  and more
# within
when: a is given
  and b in (1-2)
require: c = '1'
message: Look at c.

${RULE}`
  expect(parseRules(text)).toMatchObject([
    { number: 'B0020', name: 'Two words and more', message: 'Look at c.', items: ['a', 'b', 'c'] },
    { number: 'A0010', name: 'One', when: undefined, items: ['a'], asksForValue: ['a'] },
  ])
})

describe('a file of rules is refused where it is wrong:', () => {
  test.each([
    ['', /^line 1, column 1: the file has no rule/],
    ['name: One', /^line 1, column 1: there is no rule yet/],
    ['  more', /^line 1, column 1: it goes on with nothing/],
    ['edit a1', /^line 1, column 6: the number is "a1"; give letters and digits such as A0010/],
    [RULE + RULE, /^line 5, column 6: A0010 is there already, on line 1/],
    [RULE.replace('name', 'nome'), /^line 2, column 1: there is "nome"; give name:.*name/],
    [RULE.replace('name: One\n', ''), /^line 1, column 1: A0010 lacks name; give a line name: /],
    [`${RULE}name: Again`, /^line 5, column 1: A0010 has name already/],
    [RULE.replace("a = '1'", 'a = 1'), /^line 3, column 14: there is 1; give the id of an item/],
    [RULE.replace("a = '1'", "a = '1'\n  and b in (2-1)"), /^line 4, column 13: nothing is in 2-1/],
    [RULE.replace('One', 'o'.repeat(121)), /^line 2, column 7: name has more than 120 characters/],
  ])('%j', (text, message) => {
    expect(() => parseRules(text)).toThrow(message)
  })

  test('too many', () => {
    const many = Array.from({ length: 2001 }, (_, i) => RULE.replace('A0010', `A${i}`)).join('')
    expect(() => parseRules(many)).toThrow(/^line 8001, column 1: there are more than 2000 rules/)
  })
})

describe('the rules that ship', () => {
  const rules = parseRules(SHIPPED_RULES)

  test('are some eighty, each with a name of its own and a sentence', () => {
    expect(rules.length).toBeGreaterThan(60)
    expect(new Set(rules.map(({ name }) => name)).size).toBe(rules.length)
    for (const { message } of rules) expect(message).toMatch(/^[A-Za-z\d].*\.$/)
  })

  test.skipIf(!available.shared)(
    'read items of the newest dictionary, or of the one before',
    async () => {
      const folder = join(publicData(), 'data/naaccr/dictionaries')
      const [before, newest] = await Promise.all(
        ['250', '260'].map(async (version) => {
          const { items } = await readDictionary(
            join(folder, `naaccr-dictionary-${version}.xml.gz`),
          )
          return new Set(items.map(({ id }) => id))
        }),
      )
      const unknown = rules.flatMap(({ items }) => items.filter((id) => !newest?.has(id)))
      expect(unknown.filter((id) => !before?.has(id))).toEqual([])
      expect(new Set(unknown).size).toBeLessThan(2)
    },
  )
})
