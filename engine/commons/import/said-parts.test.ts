import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { SaidParts } from './said-parts.ts'

const digestOf = (text: string) => hash('sha1', text, 'binary').slice(0, 12)

test('each checksum is new once, for each kind of part, as in a set of texts', () => {
  const said = new SaidParts(Number.MAX_SAFE_INTEGER)
  const texts = new Set<string>()
  for (let i = 0; i < 20_000; i++) {
    // Numbers repeat after 7000 steps, and kinds after 3.
    const [kind, digest] = [i % 3, digestOf(String(i % 7000))]
    const key = `${kind} ${digest}`
    expect(said.add(kind, digest)).toBe(texts.has(key))
    texts.add(key)
  }
})

test('checksums that differ in one byte alone are different', () => {
  const said = new SaidParts(100)
  const zeros = '\0'.repeat(12)
  expect(said.add(0, zeros)).toBe(false)
  for (let at = 0; at < 12; at++) {
    const other = `${zeros.slice(0, at)}\xff${zeros.slice(at + 1)}`
    expect(said.add(0, other)).toBe(false)
    expect(said.add(0, other)).toBe(true)
  }
  expect(said.add(0, zeros)).toBe(true)
})

test('all are forgotten when there are too many, so that memory does not grow', () => {
  const said = new SaidParts(2)
  for (const name of ['a', 'b', 'c']) expect(said.add(0, digestOf(name))).toBe(false)
  expect(said.add(0, digestOf('c'))).toBe(true)
  expect(said.add(0, digestOf('a'))).toBe(false)
})
