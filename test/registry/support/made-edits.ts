import { CONTENT } from '../../../engine/registry/staging/store/support/made-staging.ts'

/**
 * A batch that sets the title of table `u` to `n`, adds table `n-` with the same title, and deletes the previous
 * one.
 */
export function editBatch(n: number): object {
  const u = CONTENT.tables.get('u')
  const title = String(n)
  return {
    tables: [
      { ...u, title },
      { ...u, id: `${n}-`, title },
    ],
    ...(n > 1 && { delete_tables: [`${n - 1}-`] }),
  }
}
