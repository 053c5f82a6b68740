import { orderedContent, type ProductContent, type ProductPackage } from './product.ts'
import type { NdcRow } from './read-row.ts'

interface JoinedProduct {
  /**
   * Returns the content of the product.
   * @param packages known packages, used if the tables list none at all
   */
  content(packages: readonly ProductPackage[] | undefined): ProductContent
}

/**
 * Joins the rows of one product. All rows contribute packages. Everything else is taken from the row with the
 * latest marketing start, or the first of several such rows. Members that differ between rows are counted.
 */
export function joinRows(
  rows: readonly Omit<NdcRow, 'code'>[],
  differing: Map<string, number>,
): JoinedProduct {
  const contents = rows.flatMap(({ content }) => content ?? [])
  const [first = {}] = contents
  const chosen = contents.reduce((best, next) => (began(next) > began(best) ? next : best), first)
  for (const name of differingMembers(contents)) {
    differing.set(name, (differing.get(name) ?? 0) + 1)
  }
  const packages = joinPackages(rows.flatMap((row) => row.package ?? []))
  return {
    content: (known) => orderedContent({ ...chosen, packages: packages ?? known }),
  }
}

const began = ({ start_marketing_date = '' }: ProductContent) => start_marketing_date

function differingMembers([first, ...others]: readonly ProductContent[]): string[] {
  if (!first || others.length === 0) return []
  const names = new Set([first, ...others].flatMap((content) => Object.keys(content)))
  const textOf = (content: ProductContent, name: string) =>
    JSON.stringify(content[name as keyof ProductContent])
  return [...names].filter((name) =>
    others.some((content) => textOf(content, name) !== textOf(first, name)),
  )
}

/** Sorts packages by code. The first row of a package is used. */
function joinPackages(given: readonly ProductPackage[]): readonly ProductPackage[] | undefined {
  if (given.length === 0) return undefined
  const packages = new Map<string, ProductPackage>()
  for (const one of given) if (!packages.has(one.package)) packages.set(one.package, one)
  return [...packages.values()].sort((a, b) => (a.package < b.package ? -1 : 1))
}
