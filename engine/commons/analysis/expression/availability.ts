interface Section<Detail> {
  /** Ascending by id. */
  readonly details: readonly Detail[]
  readonly with_gene_expression_count: number
  readonly without_gene_expression_count: number
}

interface HasValues {
  readonly has_gene_expression_values: boolean
}

/** What `/gene_expression/availability` answers (data-commons.md 6.2). */
export interface Availability {
  readonly cases?: Section<HasValues & { readonly case_id: string }>
  readonly genes?: Section<HasValues & { readonly gene_id: string }>
}

/** In steps: one entry per distinct id; ids are in the form in which they are compared. */
export function* sectionOf<Detail>(
  ids: Iterable<string>,
  has: (id: string) => boolean,
  detailOf: (id: string, values: HasValues) => Detail,
): Generator<void, Section<Detail>> {
  const distinct = [...new Set(ids)]
  yield
  distinct.sort()
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
