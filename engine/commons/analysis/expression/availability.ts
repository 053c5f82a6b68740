import { sortedDistinct } from '../../../shared/concurrency/sorted-distinct.ts'

interface Section<Detail> {
  /** One entry per requested id, ascending by id. */
  readonly details: readonly Detail[]
  readonly with_gene_expression_count: number
  readonly without_gene_expression_count: number
}

interface HasValues {
  readonly has_gene_expression_values: boolean
}

/** Response body of `/gene_expression/availability` (data-commons.md 6.2). */
export interface Availability {
  readonly cases?: Section<HasValues & { readonly case_id: string }>
  readonly genes?: Section<HasValues & { readonly gene_id: string }>
}

/** Builds a section with one entry per distinct id. Yields between steps. Case ids must be in lower case. */
export function* sectionOf<Detail>(
  ids: Iterable<string>,
  has: (id: string) => boolean,
  detailOf: (id: string, values: HasValues) => Detail,
): Generator<void, Section<Detail>> {
  const distinct = yield* sortedDistinct(ids)
  let count = 0
  const details: Detail[] = []
  for (const id of distinct) {
    yield
    const hasValues = has(id)
    if (hasValues) count++
    details.push(detailOf(id, { has_gene_expression_values: hasValues }))
  }
  return {
    details,
    with_gene_expression_count: count,
    without_gene_expression_count: details.length - count,
  }
}
