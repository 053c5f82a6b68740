import { behind, resolverOf } from '../datasets/case-gene.ts'
import type { Dataset } from '../datasets/define.ts'
import type { FieldPath } from '../datasets/field-path.ts'
import { resolveCaseField } from '../datasets/related.ts'
import { resolveField } from '../datasets/resolve.ts'
import { resolveOccurrence } from '../datasets/resolve-occurrence.ts'
import { createResolver } from '../datasets/resolver.ts'
import type { NodeField } from './shapes.ts'

type Connection = Extract<NodeField, { kind: 'connection' }>
type Resolve = (name: string) => FieldPath | undefined

/** Resolves the names in filters of a connection to fields of the connection's elements. */
export interface ElementNames {
  readonly resolve: Resolve
  /** Resolves names in case filters. Undefined if the elements have no case of their own. */
  readonly resolveCase: Resolve | undefined
}

/**
 * Creates a resolver for a connection. A name may start at the root, the parent or the element (portal.md
 * 2.2): `consequence.transcript.is_canonical`, `files.data_type`, `available_variation_data` of an
 * occurrence.
 * @param root dataset where the connection's steps start
 */
export function elementNames(root: Dataset, { shape, steps }: Connection): ElementNames {
  const { path, records } = shape
  const bound = (field: FieldPath | undefined) =>
    field && behind(steps, field, `${path}.${field.path}`)
  if (shape.link?.table === 'case_genes') {
    const ofPair = resolverOf('pair', 'case')
    const resolve: Resolve = (name) => bound(ofPair(name))
    return { resolve, resolveCase: resolve }
  }
  const last = path.slice(path.lastIndexOf('.') + 1)
  const prefixes = [`${root.name}.${path}.`, `${path}.`, `${last}.`]
  const within: Resolve = (name) => {
    const prefix = prefixes.find((one) => name.startsWith(one))
    return prefix === undefined
      ? undefined
      : resolveField(root, `${path}.${name.slice(prefix.length)}`)
  }
  if (!records) {
    return {
      resolve: (name) => within(name) ?? resolveField(root, `${path}.${name}`),
      resolveCase: undefined,
    }
  }
  const own = createResolver(records)
  const ofRecord: Resolve = (name) =>
    own.resolveFilter(name) ??
    resolveCaseField(records, name) ??
    (records.name === 'ssm_occurrences' ? resolveOccurrence(name, 'ssm') : undefined)
  return {
    resolve: (name) => within(name) ?? bound(ofRecord(name)),
    resolveCase: (name) => bound(resolveCaseField(records, name)),
  }
}
