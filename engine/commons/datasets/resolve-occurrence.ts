import { partOf } from './case-gene.ts'
import type { FieldPath } from './field-path.ts'
import { resolveRelated } from './related.ts'
import { resolveField } from './resolve.ts'
import { ssmOccurrences } from './ssm-occurrence.ts'

/** Prefix of an occurrence's case in the mutations dataset. */
const IN_MUTATION = 'occurrence.'

/**
 * Resolves the field of a mutation's occurrence by the names of data-commons.md 6.1. Conditions on its genes
 * must hold for one consequence. Conditions on copy numbers match no occurrence.
 * @param bare part that a name without a prefix belongs to
 */
export function resolveOccurrence(name: string, bare: 'gene' | 'ssm'): FieldPath | undefined {
  if (bare === 'gene') return fieldOf(partOf(name, 'gene'))
  const { part, rest } = partOf(name, 'case')
  // An unchanged name has no prefix, so it belongs to the mutation.
  return fieldOf(rest === name ? { part: 'ssm', rest } : { part, rest })
}

function fieldOf({ part, rest }: ReturnType<typeof partOf>): FieldPath | undefined {
  if (part === 'cnv') return undefined
  if (part !== 'ssm') return resolveRelated(ssmOccurrences, `${part}s.${rest}`)
  if (rest.startsWith(IN_MUTATION)) {
    return resolveField(ssmOccurrences, rest.slice(IN_MUTATION.length))
  }
  const isObserved = rest.startsWith('observation.')
  return resolveField(ssmOccurrences, `${isObserved ? 'case' : 'ssm'}.${rest}`)
}
