import { CONTENT } from '../../../engine/registry/staging/store/support/made-staging.ts'

/** Table `u` gets the title `n`, as does table `n-`, which is new, and the one before it goes. */
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
