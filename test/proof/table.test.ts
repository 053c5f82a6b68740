import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listedFiles, PAGE, rowsOf } from './table.ts'

test('the table of proof has every file of tests; `npm run proof` makes it anew', () => {
  const rows = rowsOf(readFileSync(PAGE, 'utf8')).map(({ path, run, truths }) => ({
    path,
    run,
    truths,
  }))
  expect(rows).toEqual(listedFiles())
})
