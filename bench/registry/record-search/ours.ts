import type { RecordHits, RecordQuery } from '../../../engine/registry/full-text/record.ts'
import { RecordIndex } from '../../../engine/registry/full-text/record-index.ts'
import { atOnce } from '../../../engine/shared/concurrency/at-once.ts'
import { type Product, recordOf } from './input.ts'
import { PAGE, type Question } from './questions.ts'

export function indexOf(products: readonly Product[]): RecordIndex {
  const index = new RecordIndex()
  for (const product of products) index.put(recordOf(product))
  atOnce(index.settle())
  return index
}

export const askIndex = (index: RecordIndex, question: Question): RecordHits =>
  index.search(queryOf(question))

function queryOf({ q, mode, type, present, years, order, offset = 0 }: Question): RecordQuery {
  const [from, to] = (years ?? []).map((year) => `${year}0000`)
  return {
    q,
    mode: mode ?? 'OR',
    offset,
    count: PAGE,
    filters: { type: type === undefined ? undefined : [type], removed: present && ['no'] },
    ranges: years ? [{ order: 'started', from, to }] : [],
    order: order && { name: 'name', descending: order === '-name' },
  }
}
