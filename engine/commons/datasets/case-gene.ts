import { cases } from './case.ts'
import { cnvOccurrences } from './cnv-occurrence.ts'
import type { TableName } from './define.ts'
import type { FieldPath, Step } from './field-path.ts'
import { genes } from './gene.ts'
import { canonicalPath, resolveField } from './resolve.ts'
import { ssmOccurrences } from './ssm-occurrence.ts'

/** Part that a field name without a prefix belongs to. */
export type Bare = 'case' | 'gene'

/** Records on which conditions are placed: cases, genes, or pairs of both, which are the rows of `case_genes`. */
export type Root = Bare | 'pair'

type Part = Bare | 'ssm' | 'cnv'

const PREFIXES: Readonly<Record<string, Part>> = {
  case: 'case',
  cases: 'case',
  gene: 'gene',
  genes: 'gene',
  ssm: 'ssm',
  ssms: 'ssm',
  cnv: 'cnv',
  cnvs: 'cnv',
}

/** Resolves fields of a case and of its mutated genes by the names that analyses use (data-commons.md 6.1). */
export const resolveCaseCentric = resolverOf('case', 'case')

/**
 * Returns a resolver of the names of data-commons.md 6.1 for conditions on cases, genes or pairs. For cases, all
 * conditions on genes and mutations must hold for the same gene of the case. For genes, they must hold for the
 * same case. Conditions on mutations must hold for one mutation of the pair, and those on its consequences for a
 * consequence in the pair's gene.
 */
export function resolverOf(root: Root, bare: Bare): (name: string) => FieldPath | undefined {
  return (name) => {
    const { part, rest } = partOf(name, bare)
    if (part === root) return resolveField(part === 'case' ? cases : genes, rest)
    const field = pairField(part, rest)
    return field && (root === 'pair' ? field : seenFrom(root, part, field))
  }
}

/** Splits a name into the part to which it refers and the rest. Prefixes may be chained: `genes.case.ssm.ssm_id`. */
export function partOf(name: string, bare: Bare): { readonly part: Part; readonly rest: string } {
  let part: Part = bare
  let rest = name
  for (;;) {
    const dot = rest.indexOf('.')
    const prefix = rest.slice(0, Math.max(dot, 0))
    const next = Object.hasOwn(PREFIXES, prefix) ? PREFIXES[prefix] : undefined
    // Prefixes end at a mutation, since the only case and gene of a mutation are those of the pair here.
    if (!next || part === 'ssm' || part === 'cnv') return { part, rest }
    part = next
    rest = rest.slice(dot + 1)
  }
}

/** Resolves a field from the perspective of a pair. */
function pairField(part: Part, rest: string): FieldPath | undefined {
  const path = `${part}.${canonicalPath(rest)}`
  if (part === 'case') return behind([linkTo('case', 'cases')], resolveField(cases, rest), path)
  if (part === 'gene') return behind([linkTo('gene', 'genes')], resolveField(genes, rest), path)
  const occurrences = part === 'ssm' ? ssmOccurrences : cnvOccurrences
  const isObserved = rest.startsWith('observation.')
  const found = resolveField(occurrences, isObserved ? `case.${rest}` : path)
  const level = levelOf('case_genes', part, part)
  const field = behind([level, linkTo(`${part}.occurrence`, occurrences.name)], found, path)
  // Only consequences in the pair's own gene count.
  const isEffect = part === 'ssm' && rest.startsWith('consequence.')
  if (!field || !isEffect) return field
  const consequence = levelOf('gene_effects', 'consequence', 'ssm.consequence')
  return { ...field, steps: [level, linkTo('ssm.effect', 'gene_effects'), consequence] }
}

function levelOf(dataset: TableName, level: string, path: string): Step {
  return { kind: 'level', dataset, level, nested: true, path }
}

function linkTo(at: string, target: TableName): Step {
  return { kind: 'link', dataset: 'case_genes', at, target, path: at }
}

/** Returns a field of the records at the end of a join path. */
export function behind(
  joinPath: readonly Step[],
  field: FieldPath | undefined,
  path: string,
): FieldPath | undefined {
  const prefix = joinPath.at(-1)?.path ?? ''
  return field && { ...field, path, steps: [...joinPath, ...below(prefix, field.steps)] }
}

const below = (prefix: string, steps: readonly Step[]): readonly Step[] =>
  steps.map((step) => ({ ...step, path: `${prefix}.${step.path}` }))

/** Resolves a field of a pair from its case or its gene, so that all such conditions bind to one pair. */
function seenFrom(root: Bare, part: Part, field: FieldPath): FieldPath {
  const other = root === 'case' ? 'gene' : 'case'
  const toPairs: Step = {
    kind: 'reverse',
    dataset: root === 'case' ? 'cases' : 'genes',
    target: 'case_genes',
    through: root,
    nested: true,
    path: other,
  }
  const path = part === other ? field.path : `${other}.${field.path}`
  return { ...field, path, steps: [toPairs, ...below(other, field.steps)] }
}
