/** Values of genes in cases. Unknown values are NaN. */
export interface Matrix {
  readonly genes: readonly string[]
  readonly cases: readonly string[]
  /** One row per gene. */
  readonly rows: readonly Float64Array[]
}

/** Parses the TSV of `/gene_expression/values`: a header with case ids, then one line per gene. */
export function readMatrix(text: string): Matrix {
  const [header = '', ...lines] = text.trimEnd().split('\n')
  const genes: string[] = []
  const rows = lines.map((line) => {
    const [gene = '', ...cells] = line.split('\t')
    genes.push(gene)
    return Float64Array.from(cells, (cell) => (cell === '' ? Number.NaN : Number(cell)))
  })
  return { genes, cases: header.split('\t').slice(1), rows }
}

/** Returns the values with cases as rows. */
export function transposed({ cases, rows }: Pick<Matrix, 'cases' | 'rows'>): Float64Array[] {
  return cases.map((_, place) => Float64Array.from(rows, (row) => row[place] ?? Number.NaN))
}
