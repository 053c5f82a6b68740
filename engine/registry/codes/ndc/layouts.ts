import { DROPPED, type TableLayout } from '../tables/layout.ts'
import type { ProductContent, ProductPackage, Substance } from './product.ts'

/** Finished products can be sold, unfinished ones are their ingredients. Each kind has its own tables. */
export const LISTING_KINDS = Object.freeze(['finished', 'unfinished'] as const)
export type ListingKind = (typeof LISTING_KINDS)[number]

type NamesOf<T, Value> = {
  readonly [Name in keyof T]-?: NonNullable<T[Name]> extends Value ? Name : never
}[keyof T]

/** The use of a column. */
export type NdcUse =
  /** The code of the product or package, with hyphens. */
  | { readonly as: 'product code' | 'package code' }
  /** The package code in ten digits, and its segment lengths. */
  | { readonly as: 'ten digits' | 'segments' }
  | { readonly as: 'text' | 'day'; readonly product: NamesOf<ProductContent, string> }
  | {
      readonly as: 'list' | 'classes'
      readonly product: NamesOf<ProductContent, readonly string[]>
    }
  | { readonly as: 'text' | 'day'; readonly package: keyof ProductPackage }
  /** Values separated by semicolons, in the order of the substances. */
  | { readonly as: 'places'; readonly substance: keyof Substance }

export interface NdcLayout extends TableLayout {
  /** Kind of the products in the table. If undefined, that of the products to which the packages belong. */
  readonly kind?: ListingKind
  readonly columns: Readonly<Record<string, NdcUse | typeof DROPPED>>
}

/** Product columns that every table of products has. */
const OF_PRODUCTS = {
  PRODUCTTYPENAME: { as: 'text', product: 'type_name' },
  // Commas separate the names of a mixture, but a single name may also contain commas, so names are not split.
  NONPROPRIETARYNAME: { as: 'list', product: 'non_proprietary_name' },
  DOSAGEFORMNAME: { as: 'text', product: 'dosage_form_name' },
  LABELERNAME: { as: 'text', product: 'labeler_name' },
  SUBSTANCENAME: { as: 'places', substance: 'name' },
  ACTIVE_NUMERATOR_STRENGTH: { as: 'places', substance: 'strength' },
  ACTIVE_INGRED_UNIT: { as: 'places', substance: 'unit' },
} as const satisfies NdcLayout['columns']

/** Columns that only finished products have. */
const OF_FINISHED_PRODUCTS = {
  PROPRIETARYNAME: { as: 'text', product: 'proprietary_name' },
  ROUTENAME: { as: 'list', product: 'route_name' },
  APPLICATIONNUMBER: { as: 'text', product: 'application_number' },
  PHARM_CLASSES: { as: 'classes', product: 'pharm_class' },
} as const satisfies NdcLayout['columns']

/** Product columns of the format with separate tables of products and packages. */
const OF_LISTINGS = {
  PRODUCTID: DROPPED,
  PRODUCTNDC: { as: 'product code' },
  STARTMARKETINGDATE: { as: 'day', product: 'start_marketing_date' },
  ENDMARKETINGDATE: { as: 'day', product: 'end_marketing_date' },
  MARKETINGCATEGORYNAME: { as: 'text', product: 'marketing_category_name' },
  DEASCHEDULE: { as: 'text', product: 'dea_schedule' },
} as const satisfies NdcLayout['columns']

/** Layouts of tables with one product per row. */
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

/** Layouts of tables with one package per row. The products of these packages are in another table. */
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
