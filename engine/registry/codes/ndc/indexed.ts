import type { IndexedRecord } from '../../full-text/record.ts'
import type { StoredCode } from '../repository.ts'
import { weighted } from '../weighted.ts'
import { otherForms } from './code-form.ts'
import { productOf } from './record.ts'

/** Names of the sort orders that a search offers. */
export const NDC_ORDERS = Object.freeze(['ndc', 'date_added', 'date_modified', 'proprietary_name'])

/** Builds the search index entry of a product. Names have the highest weight. */
export function indexedProduct(stored: StoredCode): IndexedRecord {
  const product = productOf(stored)
  const { seer, packages = [], substances = [], date_removed } = product
  return {
    id: product.ndc,
    texts: [
      ...weighted(
        5,
        product.ndc,
        product.proprietary_name,
        ...(product.non_proprietary_name ?? []),
      ),
      ...weighted(3, product.proprietary_name_suffix, ...substances.map(({ name }) => name)),
      ...weighted(3, seer?.seer_rx_id, seer?.subcategory),
      ...weighted(3, seer?.major_drug_class, seer?.minor_drug_class),
      ...weighted(
        2,
        product.labeler_name,
        product.application_number,
        ...(product.pharm_class ?? []),
      ),
      ...weighted(
        1,
        ...otherForms(
          product.ndc,
          packages.map((one) => one.package),
        ),
      ),
      ...weighted(1, product.type_name, product.dosage_form_name, ...(product.route_name ?? [])),
      ...weighted(
        1,
        product.marketing_category_name,
        ...packages.map(({ description }) => description),
      ),
    ],
    filters: {
      category: seer?.categories ?? [],
      has_seer_info: [String(seer !== undefined)],
      is_removed: [String(date_removed !== undefined)],
    },
    // `date_removed` is only used for the range of `removed_since`. NDC_ORDERS does not offer it for sorting.
    orders: {
      ndc: product.ndc,
      proprietary_name: product.proprietary_name,
      date_added: Date.parse(product.date_added),
      date_modified: Date.parse(product.date_modified),
      date_removed: date_removed === undefined ? undefined : Date.parse(date_removed),
    },
  }
}
