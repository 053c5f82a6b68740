import { DROPPED, type TableLayout } from '../tables/layout.ts'
import type { ProductContent, ProductPackage, Substance } from './product.ts'

/** Products that can be sold, and what they are made of: each kind has published tables of its own. */
export const LISTING_KINDS = Object.freeze(['finished', 'unfinished'] as const)
export type ListingKind = (typeof LISTING_KINDS)[number]

type NamesOf<T, Value> = {
  readonly [Name in keyof T]-?: NonNullable<T[Name]> extends Value ? Name : never
}[keyof T]

/** What becomes of a column. */
export type NdcUse =
  /** The code of the product, or of the package, with its hyphens. */
  | { readonly as: 'product code' | 'package code' }
  /** The code of the package in ten digits, and how long its segments are. */
  | { readonly as: 'ten digits' | 'segments' }
  | { readonly as: 'text' | 'day'; readonly product: NamesOf<ProductContent, string> }
  | {
      readonly as: 'list' | 'classes'
      readonly product: NamesOf<ProductContent, readonly string[]>
    }
  | { readonly as: 'text' | 'day'; readonly package: keyof ProductPackage }
  /** One after another between semicolons, in the order of the substances. */
  | { readonly as: 'places'; readonly substance: keyof Substance }

export interface NdcLayout extends TableLayout {
  /** Left out, that of the products to which the packages belong. */
  readonly kind?: ListingKind
  readonly columns: Readonly<Record<string, NdcUse | typeof DROPPED>>
}

/** Columns of products that all tables of products have. */
const OF_PRODUCTS = {
  PRODUCTTYPENAME: { as: 'text', product: 'type_name' },
  // The names of a mixture stand between commas, as do parts of one name: they are left together.
  NONPROPRIETARYNAME: { as: 'list', product: 'non_proprietary_name' },
  DOSAGEFORMNAME: { as: 'text', product: 'dosage_form_name' },
  LABELERNAME: { as: 'text', product: 'labeler_name' },
  SUBSTANCENAME: { as: 'places', substance: 'name' },
  ACTIVE_NUMERATOR_STRENGTH: { as: 'places', substance: 'strength' },
  ACTIVE_INGRED_UNIT: { as: 'places', substance: 'unit' },
} as const satisfies NdcLayout['columns']

/** Columns that only products have that can be sold. */
const OF_FINISHED_PRODUCTS = {
  PROPRIETARYNAME: { as: 'text', product: 'proprietary_name' },
  ROUTENAME: { as: 'list', product: 'route_name' },
  APPLICATIONNUMBER: { as: 'text', product: 'application_number' },
  PHARM_CLASSES: { as: 'classes', product: 'pharm_class' },
} as const satisfies NdcLayout['columns']

/** Columns of products since there is one table of products and one of packages. */
const OF_LISTINGS = {
  PRODUCTID: DROPPED,
  PRODUCTNDC: { as: 'product code' },
  STARTMARKETINGDATE: { as: 'day', product: 'start_marketing_date' },
  ENDMARKETINGDATE: { as: 'day', product: 'end_marketing_date' },
  MARKETINGCATEGORYNAME: { as: 'text', product: 'marketing_category_name' },
  DEASCHEDULE: { as: 'text', product: 'dea_schedule' },
} as const satisfies NdcLayout['columns']

/** Tables whose rows are products. */
export const PRODUCT_LAYOUTS: readonly NdcLayout[] = Object.freeze([
  {
    name: 'finished products',
    kind: 'finished',
    columns: {
      ...OF_LISTINGS,
      ...OF_PRODUCTS,
      ...OF_FINISHED_PRODUCTS,
      PROPRIETARYNAMESUFFIX: { as: 'text', product: 'proprietary_name_suffix' },
      NDC_EXCLUDE_FLAG: DROPPED,
      LISTING_RECORD_CERTIFIED_THROUGH: DROPPED,
    },
  },
  {
    name: 'unfinished products',
    kind: 'unfinished',
    columns: {
      ...OF_LISTINGS,
      ...OF_PRODUCTS,
      LISTING_RECORD_CERTIFIED_THROUGH: DROPPED,
    },
  },
  {
    name: 'packages with their products (2015)',
    kind: 'finished',
    columns: {
      NDC: { as: 'ten digits' },
      FORMAT: { as: 'segments' },
      ...OF_PRODUCTS,
      ...OF_FINISHED_PRODUCTS,
      PACKAGEDESCRIPTION: { as: 'text', package: 'description' },
      NINE_DIGIT_NDC: DROPPED,
      ELEVEN_DIGIT_NDC: DROPPED,
    },
  },
])

const OF_PACKAGES = {
  PRODUCTID: DROPPED,
  PRODUCTNDC: { as: 'product code' },
  NDCPACKAGECODE: { as: 'package code' },
  PACKAGEDESCRIPTION: { as: 'text', package: 'description' },
} as const satisfies NdcLayout['columns']

/** Tables whose rows are packages of products that another table has. */
export const PACKAGE_LAYOUTS: readonly NdcLayout[] = Object.freeze([
  {
    name: 'packages with days',
    columns: {
      ...OF_PACKAGES,
      STARTMARKETINGDATE: { as: 'day', package: 'start_marketing_date' },
      ENDMARKETINGDATE: { as: 'day', package: 'end_marketing_date' },
      NDC_EXCLUDE_FLAG: DROPPED,
      SAMPLE_PACKAGE: DROPPED,
    },
  },
  { name: 'packages', columns: OF_PACKAGES },
])
