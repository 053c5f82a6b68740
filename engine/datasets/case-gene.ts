import { cases } from './case.ts'
import type { FieldPath } from './field-path.ts'
import { resolveFilterField } from './resolve.ts'

/** Fields of a case as analyses of cases see it (contract 6.1). */
export function resolveCaseCentric(name: string): FieldPath | undefined {
  return resolveFilterField(cases, name.replace(/^case\./, ''))
}
