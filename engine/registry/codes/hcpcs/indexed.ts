import type { IndexedRecord } from '../../full-text/record.ts'
import type { StoredCode } from '../repository.ts'
import { weighted } from '../weighted.ts'
import { procedureOf } from './procedure.ts'

/** Names of the sort orders of a search. */
export const HCPCS_ORDERS = Object.freeze(['hcpcs_code', 'date_added', 'date_modified'])

/** Builds the search index entry of a procedure. Names have the highest weight. */
export function indexedProcedure(stored: StoredCode): IndexedRecord {
  const procedure = procedureOf(stored)
  return {
    id: procedure.hcpcs_code,
    texts: [
      ...weighted(
        5,
        procedure.hcpcs_code,
        procedure.generic_name,
        ...(procedure.brand_names ?? []),
      ),
      ...weighted(3, procedure.major_drug_class, procedure.minor_drug_class),
      ...weighted(2, procedure.description, procedure.strength),
    ],
    filters: { category: procedure.categories ?? [] },
    orders: {
      hcpcs_code: procedure.hcpcs_code,
      date_added: Date.parse(procedure.date_added),
      date_modified: Date.parse(procedure.date_modified),
    },
  }
}
