import { type Bare, type Root, resolverOf } from './case-gene.ts'
import type { DatasetName } from './define.ts'
import { DATASETS } from './index.ts'
import { nearField } from './near-field.ts'
import type { Resolver } from './resolver.ts'

const DATASET_OF: Readonly<Record<string, DatasetName>> = {
  case: 'cases',
  gene: 'genes',
  ssm: 'ssms',
  cnv: 'cnvs',
}

/** Matches chained prefixes. The group contains the last one. */
const PREFIXES = /^(?:(case|gene|ssm|cnv)s?\.)*/

/**
 * Returns a function that suggests a field for a name that the root's resolver does not know (data-commons.md
 * 6.1). The suggestion keeps the given prefixes.
 */
export function nearestOn(root: Root, bare: Bare): Resolver['nearest'] {
  const resolve = resolverOf(root, bare)
  return (name, near) => {
    const [prefix = '', part = bare] = PREFIXES.exec(name) ?? []
    const dataset = DATASETS[DATASET_OF[part] ?? 'cases']
    const found = nearField(name.slice(prefix.length), dataset, near)
    const whole = prefix + (found ?? '')
    return found !== undefined && resolve(whole) ? whole : undefined
  }
}
