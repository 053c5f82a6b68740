import { expect, test } from 'vitest'
import { allowsRange, httpDate, type Precondition, precondition } from './conditional.ts'

const modified = new Date('1994-11-06T08:49:37.500Z')
const held = { etag: '"a"', modified }

const NOW = 'Sun, 06 Nov 1994 08:49:37 GMT'
const BEFORE = 'Sun, 06 Nov 1994 08:49:36 GMT'
const AFTER = 'Sun, 06 Nov 1994 08:49:38 GMT'
// RFC 9110 5.6.7 allows these three forms; all of them name the same second.
const FORMS = [NOW, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994']

const since = 'if-modified-since'
const until = 'if-unmodified-since'

// The conditions are those of RFC 9110 13.1, in the order of 13.2.2.
test.each<[Precondition, string, Record<string, string>]>([
  ['proceed', 'GET', {}],
  ['proceed', 'GET', { 'if-match': '"a"' }],
  ['proceed', 'GET', { 'if-match': '"b", "a"' }],
  ['proceed', 'GET', { 'if-match': '*' }],
  ['failed', 'GET', { 'if-match': '"b"' }],
  ['failed', 'GET', { 'if-match': 'W/"a"' }],
  ['failed', 'GET', { 'if-match': 'a' }],
  ['failed', 'HEAD', { 'if-match': '"b"', 'if-none-match': '"a"' }],
  ['proceed', 'GET', { 'if-match': '"a"', [until]: BEFORE }],
  ['failed', 'GET', { [until]: BEFORE }],
  ['proceed', 'GET', { [until]: NOW }],
  ['proceed', 'GET', { [until]: AFTER }],
  ['proceed', 'GET', { [until]: 'yesterday' }],
  ['unchanged', 'GET', { 'if-none-match': '"a"' }],
  ['unchanged', 'HEAD', { 'if-none-match': 'W/"x", W/"a"' }],
  ['unchanged', 'GET', { 'if-none-match': '*' }],
  ['failed', 'POST', { 'if-none-match': '"a"' }],
  ['proceed', 'GET', { 'if-none-match': '"b"' }],
  ['proceed', 'GET', { 'if-none-match': '"b"', [since]: NOW }],
  ['unchanged', 'GET', { [since]: NOW }],
  ['unchanged', 'HEAD', { [since]: AFTER }],
  ['proceed', 'GET', { [since]: BEFORE }],
  ['proceed', 'POST', { [since]: NOW }],
  ['proceed', 'GET', { [since]: '1994-11-06' }],
])('%s: %s with %j', (expected, method, headers) => {
  expect(precondition(method, new Headers(headers), held)).toBe(expected)
})

test.each(FORMS)('the date %j is understood', (date) => {
  expect(precondition('GET', new Headers({ [since]: date }), held)).toBe('unchanged')
  expect(allowsRange(new Headers({ 'if-range': date }), held)).toBe(true)
})

test('a resource without validators matches no precondition', () => {
  const ask = (headers: Record<string, string>) => precondition('GET', new Headers(headers), {})
  expect(ask({ 'if-none-match': '"a"' })).toBe('proceed')
  expect(ask({ 'if-match': '"a"' })).toBe('failed')
  expect(ask({ [since]: NOW })).toBe('proceed')
  expect(ask({ [until]: BEFORE })).toBe('proceed')
})

test.each([
  [true, {}],
  [true, { 'if-range': '"a"' }],
  [true, { 'if-range': NOW }],
  [false, { 'if-range': '"b"' }],
  [false, { 'if-range': 'W/"a"' }],
  [false, { 'if-range': '"a", "b"' }],
  [false, { 'if-range': AFTER }],
  [false, { 'if-range': BEFORE }],
  [false, { 'if-range': '' }],
  [false, { 'if-range': '*' }],
])('a range is answered: %s with %j', (expected, headers: Record<string, string>) => {
  expect(allowsRange(new Headers(headers), held)).toBe(expected)
})

test('without its own time, no date allows a range', () => {
  expect(allowsRange(new Headers({ 'if-range': NOW }), { etag: '"a"' })).toBe(false)
  expect(allowsRange(new Headers({ 'if-range': '"a"' }), {})).toBe(false)
  expect(httpDate(modified)).toBe(NOW)
})
