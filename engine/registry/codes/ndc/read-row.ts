import { classesIn, dayIn, listIn, matching, placesIn, textIn } from '../tables/cells.ts'
import type { Recognised } from '../tables/layout.ts'
import { RowError } from '../tables/row-error.ts'
import { codeOfDigits, codeWithHyphens, SEGMENTS } from './code-form.ts'
import type { NdcLayout, NdcUse } from './layouts.ts'
import {
  orderedContent,
  type ProductContent,
  type ProductPackage,
  type Substance,
} from './product.ts'

/** The parsed cells of one row. */
export interface NdcRow {
  readonly code: string
  /** Product content without packages, if the row has any. */
  readonly content?: ProductContent
  readonly package?: ProductPackage
}

type Cells = readonly string[]

/** Members collected from the cells of one row. */
interface Gathered {
  digits?: string | undefined
  segments?: string | undefined
  product?: string | undefined
  packageCode?: string | undefined
  readonly content: Record<string, unknown>
  readonly packed: Record<string, string | undefined>
  readonly substances: Partial<Record<keyof Substance, readonly (string | undefined)[]>>
}

/**
 * Creates a parser for the rows of a layout.
 * @returns a function that throws RowError for an invalid row
 */
export function rowReader({ layout, used }: Recognised<NdcLayout>): (cells: Cells) => NdcRow {
  const uses = used.map(([name, place]) => [name, place, layout.columns[name] as NdcUse] as const)
  const hasPackages = uses.some(([, , use]) => 'package' in use)
  return (cells) => {
    const gathered: Gathered = { content: {}, packed: {}, substances: {} }
    for (const [name, place, use] of uses) gather(gathered, use, cells[place] ?? '', name)
    const { product, package: segment } = codeOf(gathered)
    const packed = hasPackages && segment !== undefined && { package: segment, ...gathered.packed }
    return {
      code: product,
      ...(layout.kind && { content: contentOf(gathered) }),
      ...(packed && { package: withoutUndefined(packed) }),
    }
  }
}

function gather(row: Gathered, use: NdcUse, cell: string, column: string): void {
  if ('substance' in use) row.substances[use.substance] = placesIn(cell, column)
  else if ('package' in use) row.packed[use.package] = readCell(use.as, cell, column) as string
  else if ('product' in use) row.content[use.product] = readCell(use.as, cell, column)
  else if (use.as === 'product code') row.product = productCode(cell, column)
  else if (use.as === 'package code') row.packageCode = packageCode(cell, column)
  else if (use.as === 'ten digits') row.digits = matching(cell, column, /^\d{10}$/, 'ten digits')
  else row.segments = matching(cell, column, /^(4-4-2|5-3-2|5-4-1)$/, '4-4-2, 5-3-2 or 5-4-1')
}

function readCell(as: 'text' | 'day' | 'list' | 'classes', cell: string, column: string) {
  return { text: textIn, day: dayIn, list: listIn, classes: classesIn }[as](cell, column)
}

function productCode(cell: string, column: string): string {
  return matching(cell, column, /^\d{4,5}-\d{3,4}$/, 'a product code like 0002-3227')
}

function packageCode(cell: string, column: string): string {
  return matching(cell, column, /^\d{4,5}-\d{3,4}-\d{1,2}$/, 'a package code like 0002-3227-30')
}

function codeOf({ digits, segments, product = '', packageCode }: Gathered) {
  if (digits !== undefined) return codeOfDigits(digits, SEGMENTS[segments as keyof typeof SEGMENTS])
  if (packageCode === undefined) return { product, package: undefined }
  const code = codeWithHyphens(packageCode)
  if (code?.product === product) return { product, package: code.package }
  throw new RowError(`"${packageCode}" is no package of product ${product}`, 'NDCPACKAGECODE')
}

function contentOf({ content, substances }: Gathered): ProductContent {
  const { name = [], strength = [], unit = [] } = substances
  const count = Math.max(name.length, strength.length, unit.length)
  const all = Array.from({ length: count }, (_, i) =>
    withoutUndefined<Substance>({ name: name[i], strength: strength[i], unit: unit[i] }),
  )
  const filled = all.filter((one) => Object.keys(one).length > 0)
  return orderedContent({ ...content, substances: filled.length > 0 ? filled : undefined })
}

function withoutUndefined<T extends object>(
  members: {
    readonly [Name in keyof T]: T[Name] | undefined
  },
): T {
  const all = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(all) as T
}
