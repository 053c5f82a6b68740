import type { IndexedRecord } from '../../record-index/record.ts'
import type { StoredCode } from '../repository.ts'
import { procedureOf } from './procedure.ts'

/** What a search may be ordered by. */
export const HCPCS_ORDERS = Object.freeze(['hcpcs_code', 'date_added', 'date_modified'])

/** What a search reads of a procedure: names count most. */
export function indexedProcedure(stored: StoredCode): IndexedRecord {
  const procedure = procedureOf(stored)
  const texts = (weight: number, ...all: readonly (string | undefined)[]) =>
    all.flatMap((text) => (text === undefined ? [] : { text, weight }))
  return {
    id: procedure.hcpcs_code,
    texts: [
      ...texts(5, procedure.hcpcs_code, procedure.generic_name, ...(procedure.brand_names ?? [])),
      ...texts(3, procedure.major_drug_class, procedure.minor_drug_class),
      ...texts(2, procedure.description, procedure.strength),
    ],
    filters: { category: procedure.categories ?? [] },
    orders: {
      hcpcs_code: procedure.hcpcs_code,
      date_added: Date.parse(procedure.date_added),
      date_modified: Date.parse(procedure.date_modified),
    },
  }
}
