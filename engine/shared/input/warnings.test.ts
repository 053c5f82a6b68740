import { expect, test } from 'vitest'
import { Warnings } from './warnings.ts'

test('texts are joined by their parameter', () => {
  const warnings = new Warnings()
  expect([warnings.texts, warnings.header]).toEqual([{}, undefined])
  warnings.add('filters', 'a')
  warnings.addAll({ fields: 'b', filters: 'c' })
  expect(warnings.texts).toEqual({ filters: 'a; c', fields: 'b' })
  expect(warnings.header).toBe('filters: a; c | fields: b')
})

test('a header has no line break, nothing beyond ASCII, and is cut', () => {
  const warnings = new Warnings()
  warnings.add('filters', 'one\r\nSet-Cookie: x\u{1f9ec}é')
  expect(warnings.header).toBe('filters: one\\u000d\\u000aSet-Cookie: x\\ud83e\\uddec\\u00e9')
  warnings.add('fields', 'é'.repeat(100_000))
  expect(warnings.header).toHaveLength(2048)
  expect(warnings.header).toMatch(/^[\x20-\x7e]+\.\.\.$/)
})

test('a parameter may bear any name', () => {
  const warnings = new Warnings()
  warnings.add('__proto__', 'a')
  expect(Object.entries(warnings.texts)).toEqual([['__proto__', 'a']])
})
