import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listedRows, PAGE, rowsOf } from './table.ts'

test('the table of proof has every file of tests; `npm run proof` makes it anew', () => {
  const rows = rowsOf(readFileSync(PAGE, 'utf8')).map(({ tests: _, seconds: __, ...row }) => row)
  expect(rows).toEqual(listedRows())
})
