import { DAYS_PER_YEAR, fieldName, inYears, isInDays } from '../../cohort/words.ts'
import type { Filter } from '../../filter/filter.ts'
import { changedFilter, testedFilter, unchangedFilter } from '../../genes/changed-filters.ts'
import { geneNamed, genesIn, type NamedGene } from '../../genes/named-genes.ts'

/** A property of cases: a field, whether a gene is changed, an expression, or the number of simple mutations. */
export type CaseVariable =
  | { readonly kind: 'field'; readonly field: string }
  | { readonly kind: 'ssm' | 'cnv'; readonly gene: string }
  /** Mean expression of some genes, often of one. */
  | { readonly kind: 'expression'; readonly genes: readonly string[] }
  | { readonly kind: 'burden' }

const GENE = /^(ssm|cnv|expression):(.*)$/

/** Reads a variable of the address, such as `ssm:TP53` or `expression:EGFR,ERBB2`. */
export function readVariable(text: string): CaseVariable {
  if (text === 'burden') return { kind: 'burden' }
  const [, kind, gene = ''] = GENE.exec(text) ?? []
  if (kind === 'expression') return { kind, genes: genesIn(gene) }
  return kind === 'ssm' || kind === 'cnv' ? { kind, gene } : { kind: 'field', field: text }
}

/** Returns the genes that a variable names, by symbol or id. */
export function genesOf(variable: CaseVariable): readonly string[] {
  if (variable.kind === 'expression') return variable.genes
  return 'gene' in variable && variable.gene !== '' ? [variable.gene] : []
}

/** Returns the name by which the service knows a variable. Undefined if none of its genes is known. */
export function askedName(variable: CaseVariable, genes: readonly NamedGene[]): string | undefined {
  switch (variable.kind) {
    case 'burden':
      return 'burden'
    case 'field':
      return variable.field === '' ? undefined : variable.field
    case 'expression': {
      const ids = variable.genes.flatMap((name) => geneNamed(genes, name)?.gene_id ?? [])
      return ids.length > 0 ? `expression:${[...new Set(ids)].join()}` : undefined
    }
    default: {
      const gene = geneNamed(genes, variable.gene)
      return gene && `${variable.kind}:${gene.gene_id}`
    }
  }
}

/** Returns the title of a variable, with its unit. */
export function titleOf(variable: CaseVariable): string {
  switch (variable.kind) {
    case 'burden':
      return 'Simple mutations'
    case 'field':
      return `${fieldName(variable.field)}${inYears(variable.field) ? ' (years)' : ''}`
    case 'ssm':
      return `Mutations of ${variable.gene}`
    case 'cnv':
      return `Copy number of ${variable.gene}`
    case 'expression': {
      const { genes } = variable
      const of =
        genes.length === 1
          ? `Expression of ${genes[0]}`
          : `Mean expression of ${genes.length} genes`
      return `${of}, log2(uqfpkm + 1)`
    }
  }
}

/** Converts a number of the service to the unit of the page. */
export const inUnit = (variable: CaseVariable, value: number): number =>
  variable.kind === 'field' && inYears(variable.field) && isInDays(variable.field)
    ? value / DAYS_PER_YEAR
    : value

/** Returns the words for a value of the service. */
export function valueText(variable: CaseVariable, value: string): string {
  if (variable.kind === 'ssm') return value === 'changed' ? 'mutated' : 'not mutated'
  return value
}

/** Returns the filter of the cases with a value of a variable that the service knows by a name. */
export function valueFilter(
  variable: CaseVariable,
  { asked, value }: { readonly asked: string; readonly value: string },
): Filter {
  if (variable.kind !== 'ssm' && variable.kind !== 'cnv') {
    return { op: 'in', content: { field: asked, value: [value] } }
  }
  const [, , id = ''] = GENE.exec(asked) ?? []
  const { kind } = variable
  if (value !== 'changed') return unchangedFilter(kind, id)
  return { op: 'and', content: [testedFilter(kind), changedFilter(kind, id)] }
}
