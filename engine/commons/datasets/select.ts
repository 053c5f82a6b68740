import { EngineError } from '../../shared/errors.ts'
import { didYouMean, NearNames, quotedName } from '../../shared/input/near-name.ts'
import type { Dataset, FieldTree } from './define.ts'
import type { FieldPath } from './field-path.ts'
import { nearField, nearGroup } from './near-field.ts'
import { canonicalPath, resolveField, typeOf } from './resolve.ts'
import type { Resolver } from './resolver.ts'
import { leavesOf, nodeAt } from './tree.ts'

/** Fields to show of each record. */
export interface Selection {
  readonly leaves: readonly {
    /** Canonical path of the field. */
    readonly path: string
    /** Dotted name under which the field is printed. */
    readonly as: string
  }[]
  /** Whether `id` is printed as the first member. */
  readonly withId: boolean
}

export interface SelectionRequest {
  /** Undefined and an empty list mean the same. */
  readonly fields?: readonly string[] | undefined
  readonly expand?: readonly string[] | undefined
}

/** Warnings keyed by parameter, such as `fields`: `unrecognized values: [x]` and a suggestion. */
export type SelectionWarnings = Readonly<Record<string, string>>

export interface SortKey {
  readonly field: FieldPath
  readonly descending: boolean
}

/** Returns the fields shown by default: all that are in no group (data-commons.md 3.2). */
export function defaultsOf(dataset: Dataset): readonly string[] {
  return leavesOf(dataset.fields).toSorted()
}

/**
 * Selects the fields that `fields` and `expand` name (data-commons.md 2.2, 3.2, 11.11, 11.30). Unknown names are
 * skipped and reported as warnings. Expanding a group selects the fields directly in it.
 */
export function selectFields(
  dataset: Dataset,
  request: SelectionRequest,
  mode: 'list' | 'single',
): { readonly selection: Selection; readonly warnings: SelectionWarnings } {
  const fields = asked(request.fields)
  const expand = asked(request.expand)
  const leaves = new Map<string, string>()
  if (fields.length === 0) for (const name of defaultsOf(dataset)) leaves.set(name, name)

  const unknownFields = fields.filter((name) => {
    const path = canonicalPath(name)
    if (!isShown(dataset, path)) return true
    leaves.set(name, path)
    return false
  })
  const unknownGroups = expand.filter((name) => {
    const path = canonicalPath(name)
    if (isShown(dataset, path)) leaves.set(name, path)
    else if (!dataset.expand.includes(path)) return true
    else for (const leaf of expanded(dataset, path)) leaves.set(leaf, leaf)
    return false
  })

  const nearest = (name: string, near: NearNames) => nearField(name, dataset, near)
  const nearestGroup = (name: string, near: NearNames) => nearGroup(name, dataset, near)
  const withId = mode === 'list' || (fields.length === 0 && expand.length === 0)
  return {
    selection: { leaves: [...leaves].map(([as, path]) => ({ path, as })), withId },
    warnings: {
      ...(unknownFields.length > 0 && { fields: unrecognized(unknownFields, nearest) }),
      ...(unknownGroups.length > 0 && { expand: unrecognized(unknownGroups, nearestGroup) }),
    },
  }
}

/** Resolves the fields to count values of. Unknown names are skipped and reported in the warning. */
export function selectFacets(
  names: readonly string[],
  { resolve, nearest }: Pick<Resolver, 'nearest' | 'resolve'>,
): {
  readonly facets: readonly { readonly name: string; readonly field: FieldPath }[]
  readonly warning?: string
} {
  const facets: { name: string; field: FieldPath }[] = []
  const unknown = asked(names).filter((name) => {
    const field = resolve(name)
    if (field) facets.push({ name, field })
    return !field
  })
  return { facets, ...(unknown.length > 0 && { warning: unrecognized(unknown, nearest) }) }
}

/**
 * Parses sort keys of the forms `field`, `field:asc` and `field:desc`.
 * @throws EngineError bad_input for an unknown field or direction
 */
export function sortKeys(dataset: Dataset, texts: readonly string[]): readonly SortKey[] {
  return asked(texts).map((text) => {
    const [name = '', direction = 'asc', ...more] = text.split(':').map((part) => part.trim())
    const field = resolveField(dataset, name)
    if (!field) {
      const meant = didYouMean([[name, nearField(name, dataset, new NearNames())]])
      const message = `${dataset.name} has no field ${quotedName(name)} to sort by${meant}`
      throw new EngineError('bad_input', message, { at: 'sort' })
    }
    if (more.length > 0 || !/^(asc|desc)$/i.test(direction)) {
      const message = `the direction of ${quotedName(text)} is unknown; give field, field:asc or field:desc`
      throw new EngineError('bad_input', message, { at: 'sort' })
    }
    return { field, descending: direction.toLowerCase() === 'desc' }
  })
}

/** Trims names, and removes duplicates and empty ones. */
function asked(names: readonly string[] = []): readonly string[] {
  return [...new Set(names.map((name) => name.trim()))].filter((name) => name !== '')
}

function isShown(dataset: Dataset, path: string): boolean {
  return typeOf(dataset, path) !== undefined
}

/** Group that expands with its subgroups. Only records with their own summary have it (data-commons.md 11.30). */
const WITH_GROUPS = 'summary'

function expanded(dataset: Dataset, group: string): readonly string[] {
  if (group !== WITH_GROUPS) return leavesIn(dataset, group)
  const inside = dataset.expand.filter((other) => other.startsWith(`${group}.`))
  return [group, ...inside].flatMap((one) => leavesIn(dataset, one))
}

/** Returns the fields directly in a group, with hidden legacy ones, which clients read (data-commons.md 8.3). */
function leavesIn(dataset: Dataset, group: string): readonly string[] {
  return [dataset.fields, dataset.hidden].flatMap((tree) => {
    const node: FieldTree | string | undefined = nodeAt(tree, group)
    return typeof node === 'object' ? leavesOf(node).map((name) => `${group}.${name}`) : []
  })
}

/** Maximum number of unknown names for which a suggestion is searched. */
const MAX_HINTED = 5

/** Returns the warning that lists unknown names (data-commons.md 2.2, 11.36). */
export function unrecognized(names: readonly string[], nearest: Resolver['nearest']): string {
  const near = new NearNames()
  const found = names.slice(0, MAX_HINTED).map((name) => [name, nearest(name, near)] as const)
  return `unrecognized values: [${names.join(', ')}]${didYouMean(found)}`
}
