import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { depth } from '../../../test/depth.ts'
import { EngineError } from '../../shared/errors.ts'
import { itemsOf, parseCondition } from './condition.ts'
import { makeCondition } from './evaluate.ts'

const wrong = (at: number, message: string) => new EngineError('bad_input', `${at}: ${message}`)
const read = (text: string) => parseCondition(text, wrong)
const ask = (text: string, items: Readonly<Record<string, string>>) =>
  makeCondition(read(text), '20240229')(items)

describe('a condition', () => {
  const items = { site: 'C509', sex: '2', positive: '07', examined: '12', birth: '19500615' }

  // Follows the rules in the reference. Undefined means unknown.
  test.each([
    ["site = 'C509'", true],
    ["'C509' != site", false],
    ['site in (C500-C509, C619)', true],
    ['site in (C50)', false],
    ['site in (500-509)', false],
    ['missing in (1)', undefined],
    ["missing = '1'", undefined],
    ['missing is empty', true],
    ['missing is given', false],
    ['site is given', true],
    ['not site is given', false],
    ["not missing = '1'", undefined],
    // A part that decides does so even if other parts are unknown.
    ["missing = '1' and sex = '1'", false],
    ["missing = '1' and sex = '2'", undefined],
    ["missing = '1' or sex = '2'", true],
    ["missing = '1' or sex = '1'", undefined],
    // `and` binds more tightly than `or`.
    ["sex = '2' or sex = '1' and missing is given", true],
    ["(sex = '2' or sex = '1') and missing is given", false],
    ['number(positive) <= number(examined)', true],
    ['number(positive) > 7', false],
    ['number(site) > 7', undefined],
    ['year(birth) >= 1950', true],
    ['date(birth) <= today', true],
    ['age(birth, at) = 3', undefined],
  ])('%s is %s', (text, truth) => {
    expect(ask(text, items)).toBe(truth)
  })

  // Found with a calendar: birthdays, and ages that a partial date leaves open.
  test.each([
    ['19500615', '20200614', 69, true],
    ['19500615', '20200615', 70, true],
    ['19500615', '20200615', 69, false],
    ['195006', '202006', 70, undefined],
    ['195006', '202006', 69, undefined],
    ['195006', '202006', 71, false],
    ['1950', '20201231', 70, true],
    ['20000229', '20230228', 22, true],
    ['20200101', '20190101', -1, undefined],
  ])('the age from %s to %s is %s: %s', (birth, at, age, truth) => {
    const text = age < 0 ? 'age(birth, at) = 0' : `age(birth, at) = ${age}`
    expect(ask(text, { birth, at })).toBe(age < 0 ? false : truth)
  })

  test('names the items that it reads, and of which it reads the values', () => {
    const condition = read(
      "a is empty or not (b in (1) and age(c, d) > 3) and e != 'x' and date(f) < today",
    )
    expect(itemsOf(condition)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
    expect(itemsOf(condition, true)).toEqual(['b', 'c', 'd', 'e', 'f'])
  })

  test.each([
    ['', /^0: there is the end; give the id of an item/],
    ['site', /^4: there is the end; give =, !=, .*in or is/],
    ['site in (C509-C500)', /^9: nothing is in C509-C500; give the lower code first/],
    ['site in (C50-C509)', /^9: nothing is in C50-C509/],
    ['site in ()', /^9: there is \); give a code/],
    ["site < 'C509'", /^5: codes are compared by = and !=; for < give number/],
    ['number(a) < date(b)', /^12: a date is compared with a date/],
    ['age(a) > 3', /^5: there is \); give ,/],
    ["site = 'C509' site", /^14: there is site; give and, or, or the end/],
    ['site = "C509"', /^7: "\\"" is not understood; codes stand in/],
    ['(a is empty', /^11: there is the end; give \)/],
    ['and is empty', /^0: there is and; give the id/],
    ['a is blank', /^5: there is blank; give empty or given/],
    [`${'('.repeat(20)}a is empty${')'.repeat(20)}`, /more than 16 levels/],
    [`${'a is empty or '.repeat(200)}a is empty`, /more than 400 words/],
  ])('%j is refused where it is wrong', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  test('any text is read or refused, by one kind of error', () => {
    const words = fc.constantFrom(
      ...['a', 'in', 'is', 'empty', '(', ')', ',', 'C50-C51', "'x'", '=', '<', 'and', 'or', 'not'],
      ...['date', 'age', 'number', 'today', '7', 'é', '"'],
    )
    fc.assert(
      fc.property(fc.array(words, { maxLength: 20 }), (some) => {
        try {
          ask(some.join(' '), { a: 'C50' })
        } catch (error) {
          expect(error).toBeInstanceOf(EngineError)
        }
      }),
      { seed: 420, numRuns: depth(2000, 20_000) },
    )
  })
})

describe('partial dates', () => {
  /** Returns all days in a few years for which a text may stand, by JavaScript's own calendar. */
  function daysOf(text: string): readonly number[] {
    const days: number[] = []
    for (let day = Date.UTC(2019, 0, 1); day < Date.UTC(2022, 0, 1); day += 86_400_000) {
      if (new Date(day).toISOString().replaceAll('-', '').startsWith(text)) days.push(day)
    }
    return days
  }
  const texts = fc
    .tuple(
      fc.integer({ min: 2019, max: 2021 }),
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 28 }),
      fc.integer({ min: 1, max: 3 }),
    )
    .map(([year, month, day, parts]) =>
      [String(year), String(month).padStart(2, '0'), String(day).padStart(2, '0')]
        .slice(0, parts)
        .join(''),
    )
  const HOLDS = {
    '<': (a: number, b: number) => a < b,
    '<=': (a: number, b: number) => a <= b,
    '=': (a: number, b: number) => a === b,
    '!=': (a: number, b: number) => a !== b,
    '>=': (a: number, b: number) => a >= b,
    '>': (a: number, b: number) => a > b,
  }

  test('compare as all days that they may be, one by one', () => {
    const cases = new Map<string, readonly number[]>()
    const known = (text: string) => {
      const days = cases.get(text) ?? daysOf(text)
      cases.set(text, days)
      return days
    }
    const operators = fc.constantFrom(...(Object.keys(HOLDS) as (keyof typeof HOLDS)[]))
    const seen = new Set<unknown>()
    fc.assert(
      fc.property(texts, texts, operators, (a, b, operator) => {
        let all = true
        let none = true
        for (const one of known(a)) {
          for (const other of known(b)) {
            if (HOLDS[operator](one, other)) none = false
            else all = false
          }
        }
        const truth = all ? true : none ? false : undefined
        seen.add(truth)
        expect(ask(`date(a) ${operator} date(b)`, { a, b })).toBe(truth)
      }),
      { seed: 421, numRuns: depth(300, 3000) },
    )
    expect(seen.size).toBe(3)
  })
})
