import { expect, test } from 'vitest'
import { listedFiles, rowsOfPage } from './table.ts'

test('the table of proof has every file of tests; `npm run proof` makes it anew', () => {
  const rows = rowsOfPage().map(({ path, run, truths }) => ({ path, run, truths }))
  expect(rows).toEqual(listedFiles())
})
