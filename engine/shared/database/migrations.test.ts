import { expect, test } from 'vitest'
import { inDialect } from './migrations.ts'

const STEP = "CREATE TABLE t (a {text}, n {integer}, d {text} DEFAULT '{}') {strict}"

test('macros become what each dialect writes', () => {
  expect(inDialect(STEP, 'sqlite')).toBe(
    "CREATE TABLE t (a TEXT, n INTEGER, d TEXT DEFAULT '{}') STRICT",
  )
  expect(inDialect(STEP, 'postgresql')).toBe(
    `CREATE TABLE t (a TEXT COLLATE "C", n BIGINT, d TEXT COLLATE "C" DEFAULT '{}') `,
  )
})

test('a macro that there is not is an error', () => {
  expect(() => inDialect('CREATE TABLE t (a {txt})', 'sqlite')).toThrow('{txt} is no macro')
})
