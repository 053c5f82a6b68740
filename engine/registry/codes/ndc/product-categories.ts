import { categoriesIn, flagIn, textIn } from '../category-columns.ts'
import type { CategoryArea } from '../import-categories.ts'
import { orderOf } from '../members.ts'
import { findProduct } from './find-product.ts'
import type { RegistryPart } from './product.ts'
import { productOf, registryPartOf } from './record.ts'

type GivenPart = Omit<RegistryPart, 'date_modified'>

/** Puts members into the order in which an editor's are stored, so that equal contents have equal JSON. */
const orderedPart = orderOf<GivenPart>([
  'seer_rx_id',
  'categories',
  'subcategory',
  'major_drug_class',
  'minor_drug_class',
  'orphan_drug',
  'exclusive_oncologic_agent',
])

/** The columns of categories that a table may set on products. */
export const PRODUCT_CATEGORIES: CategoryArea = {
  name: 'categories of products',
  codes: ['ndc', 'ndc_code', 'ndc_11', 'productndc', 'ndcpackagecode'],
  members: {
    seer_rx_id: textIn,
    categories: categoriesIn,
    subcategory: textIn,
    major_drug_class: textIn,
    minor_drug_class: textIn,
    orphan_drug: flagIn,
    exclusive_oncologic_agent: flagIn,
  },
  aliases: {
    category: 'categories',
    seer_rx_category: 'categories',
    drug: 'seer_rx_id',
    rx_id: 'seer_rx_id',
    seer_rx: 'seer_rx_id',
    class: 'major_drug_class',
    drug_class: 'major_drug_class',
  },
  find: findProduct,
  ownWith(known, given, date) {
    const { date_modified: _date, ...before } = registryPartOf(known) ?? {}
    const all: Record<string, unknown> = { ...before, ...given }
    const kept = Object.entries(all).filter(([, value]) => value !== null)
    const after = orderedPart(Object.fromEntries(kept))
    if (JSON.stringify(after) === JSON.stringify(orderedPart(before))) return known.own
    if (Object.keys(after).length === 0) return null
    return JSON.stringify({ ...after, date_modified: date })
  },
  describe: productOf,
}
