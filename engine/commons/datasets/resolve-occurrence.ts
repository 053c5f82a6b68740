import { partOf } from './case-gene.ts'
import type { FieldPath } from './field-path.ts'
import { resolveRelated } from './related.ts'
import { resolveField } from './resolve.ts'
import { ssmOccurrences } from './ssm-occurrence.ts'

/** Prefix of an occurrence's case in the mutations dataset. */
const IN_MUTATION = 'occurrence.'

/**
 * Resolves a field of a mutation's occurrence by the names of data-commons.md 6.1. All conditions on genes must
 * hold for the same consequence. Conditions on copy numbers match no occurrence.
 * @param bare part to which a name without a prefix belongs
 */
export function resolveOccurrence(name: string, bare: 'gene' | 'ssm'): FieldPath | undefined {
  if (bare === 'gene') return fieldOf(partOf(name, 'gene'))
  const { part, rest } = partOf(name, 'case')
  // If the name is unchanged, it has no prefix and belongs to the mutation.
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
