import fc from 'fast-check'
import { expect, test } from 'vitest'
import { depth } from '../../test/depth.ts'
import { collect, parseForm } from './form.ts'

const parse = (text: string) => parseForm(new TextEncoder().encode(text))

test('pairs are decoded as forms are written', () => {
  expect(parse('a=b+c&d=%2B%26%3D&&e&=f&g=h=i&%C3%A4=%E2%82%AC')).toEqual([
    ['a', 'b c'],
    ['d', '+&='],
    ['e', ''],
    ['', 'f'],
    ['g', 'h=i'],
    ['ä', '€'],
  ])
})

test('invalid percent-encoding is kept, and invalid UTF-8 is replaced', () => {
  expect(parse('a=100%&b=%zz&c=%FF')).toEqual([
    ['a', '100%'],
    ['b', '%zz'],
    ['c', '\ufffd'],
  ])
})

test('the pairs are those of URLSearchParams', () => {
  // The alphabet is ASCII only, because Node's URLSearchParams damages other letters next to a lone percent sign.
  const fragment = fc.oneof(
    fc.constantFrom('&', '=', '+', '%', '%41', '%2B', '%C3%A4', '%c3%', '%FF', '%1', '%00', 'a'),
    fc.string({ maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 20 }), (fragments) => {
      // The text starts with `&` because a question mark at the start would be dropped.
      const text = `&${fragments.join('')}`
      expect(parse(text)).toEqual([...new URLSearchParams(text)])
    }),
    { seed: 3, numRuns: depth(1000, 5000) },
  )
})

test('a repeated name makes an array', () => {
  expect(collect(parse('a=1&b=2&a=3&a='))).toEqual({ a: ['1', '3', ''], b: '2' })
})

test.each(['+', '%4', '%C3'])('twice as many %s take about twice the work', (worst) => {
  const cpuOf = (bytes: number) => {
    const text = new TextEncoder().encode(`a=${worst.repeat(bytes / worst.length)}`)
    const before = process.threadCpuUsage()
    parseForm(text)
    const { user, system } = process.threadCpuUsage(before)
    return user + system
  }
  // The minimum of several runs, because other processes can only add time.
  const leastOf = (bytes: number) => Math.min(...Array.from({ length: 5 }, () => cpuOf(bytes)))
  const most = depth(4, 16) << 20
  // Quadratic time would be 256 times as long.
  expect(leastOf(most) / Math.max(1000, leastOf(most / 16))).toBeLessThan(128)
})

test('a form has ten thousand fields at most, empty ones too', () => {
  expect(parse('a&'.repeat(10_000))).toHaveLength(10_000)
  expect(() => parse('a&'.repeat(10_001))).toThrow('more than 10000 form fields')
  expect(() => parse('&'.repeat(10_001))).toThrow('more than 10000 form fields')
})
