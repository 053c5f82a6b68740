import { partOf } from './case-gene.ts'
import type { FieldPath } from './field-path.ts'
import { resolveRelated } from './related.ts'
import { resolveField } from './resolve.ts'
import { ssmOccurrences } from './ssm-occurrence.ts'

/** Of a mutation as its own dataset calls the case of an occurrence. */
const IN_MUTATION = 'occurrence.'

/**
 * Finds the field of an occurrence of a mutation by the names of data-commons.md 6.1. Conditions on its genes are
 * bound to one consequence, those on copy numbers have no occurrence.
 * @param bare what a name without a prefix is one of
 */
export function resolveOccurrence(name: string, bare: 'gene' | 'ssm'): FieldPath | undefined {
  if (bare === 'gene') return fieldOf(partOf(name, 'gene'))
  const { part, rest } = partOf(name, 'case')
  // No prefix was taken off.
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
