import { EngineError } from '../../../shared/errors.ts'
import { categoriesIn, flagIn, listIn, textIn, yearIn } from '../category-columns.ts'
import type { CategoryArea } from '../import-categories.ts'
import { contentOf, orderedProcedure, procedureOf } from './procedure.ts'

/** The columns of categories that a table may set on procedures. */
export const PROCEDURE_CATEGORIES: CategoryArea = {
  name: 'categories of procedures',
  codes: ['hcpcs', 'hcpcs_code', 'hcpcs_cd'],
  members: {
    generic_name: textIn,
    brand_names: listIn,
    strength: textIn,
    fda_approval_year: yearIn,
    fda_discontinuation_year: yearIn,
    categories: categoriesIn,
    major_drug_class: textIn,
    minor_drug_class: textIn,
    oral: flagIn,
  },
  aliases: {
    category: 'categories',
    seer_rx_category: 'categories',
    drug: 'generic_name',
    brand_name: 'brand_names',
    oral_y_n: 'oral',
    class: 'major_drug_class',
    drug_class: 'major_drug_class',
  },
  async find(reads, code) {
    const stored = await reads.record(code)
    if (stored) return stored
    throw new EngineError('not_found', `HCPCS code '${code.slice(0, 40)}' does not exist.`)
  },
  ownWith(known, given) {
    const all: Record<string, unknown> = { ...contentOf(known), ...given }
    const kept = Object.entries(all).filter(([, value]) => value !== null)
    const after = JSON.stringify(orderedProcedure(Object.fromEntries(kept)))
    return after === JSON.stringify(orderedProcedure(contentOf(known))) ? known.own : after
  },
  describe: procedureOf,
}
