import type { Category } from '../categories.ts'
import { orderOf } from '../members.ts'

export interface Substance {
  readonly name?: string
  readonly strength?: string
  readonly unit?: string
}

export interface ProductPackage {
  /** The last segment of the package code. */
  readonly package: string
  readonly description?: string
  /** Days have the form YYYYMMDD. */
  readonly start_marketing_date?: string
  readonly end_marketing_date?: string
}

/** Members whose values come from published tables. */
export interface ProductContent {
  readonly type_name?: string
  readonly proprietary_name?: string
  readonly proprietary_name_suffix?: string
  readonly non_proprietary_name?: readonly string[]
  readonly dosage_form_name?: string
  readonly route_name?: readonly string[]
  readonly start_marketing_date?: string
  readonly end_marketing_date?: string
  readonly marketing_category_name?: string
  readonly application_number?: string
  readonly labeler_name?: string
  readonly dea_schedule?: string
  readonly substances?: readonly Substance[]
  readonly pharm_class?: readonly string[]
  readonly packages?: readonly ProductPackage[]
}

/** The registry's own part of a product. */
export interface RegistryPart {
  readonly seer_rx_id?: string
  readonly categories?: readonly Category[]
  readonly subcategory?: string
  readonly major_drug_class?: string
  readonly minor_drug_class?: string
  readonly orphan_drug?: boolean
  readonly exclusive_oncologic_agent?: boolean
  /** Set by the server. */
  readonly date_modified?: string
}

/** A drug product (registry.md 3). */
export interface NdcProduct extends ProductContent {
  readonly ndc: string
  readonly seer?: RegistryPart
  readonly date_added: string
  readonly date_modified: string
  /** Time of the import since which no table has listed the product. */
  readonly date_removed?: string
  /** Present only in the results of a search with words. */
  readonly score?: number
}

/** Puts members into a fixed order, whatever the order of the columns, so that equal contents have equal JSON. */
export const orderedContent = orderOf<ProductContent>([
  'type_name',
  'proprietary_name',
  'proprietary_name_suffix',
  'non_proprietary_name',
  'dosage_form_name',
  'route_name',
  'start_marketing_date',
  'end_marketing_date',
  'marketing_category_name',
  'application_number',
  'labeler_name',
  'dea_schedule',
  'substances',
  'pharm_class',
  'packages',
])
