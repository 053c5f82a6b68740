import type { Dataset, FieldTree, FieldType, RelatedPaths } from './define.ts'
import { groupsOf } from './tree.ts'

const words = (text: string) => text.trim().split(/\s+/)

/** Builds a tree from space-separated field names by type, and the groups below it. */
export function fields(
  names: Readonly<Partial<Record<FieldType, string>>>,
  groups: FieldTree = {},
): FieldTree {
  const leaves = Object.entries(names).flatMap(([type, text]) =>
    words(text).map((name): [string, FieldType] => [name, type as FieldType]),
  )
  return { ...Object.fromEntries(leaves), ...groups }
}

/**
 * Returns the named members of a tree. Names are separated by spaces.
 * @throws Error for a name that the tree lacks, which is a bug
 */
export function pick(tree: FieldTree, names: string): FieldTree {
  return Object.fromEntries(
    words(names).map((name) => {
      const node = tree[name]
      if (node === undefined) throw new Error(`no field ${name} to pick`)
      return [name, node]
    }),
  )
}

/** Merges the fields of two trees. If both have a field, that of the second counts. */
export function merge(one: FieldTree, other: FieldTree): FieldTree {
  const merged: Record<string, FieldType | FieldTree> = { ...one }
  for (const [name, node] of Object.entries(other)) {
    const first = merged[name]
    merged[name] = typeof first === 'object' && typeof node === 'object' ? merge(first, node) : node
  }
  return merged
}

/** Prepends a prefix to paths: `under('cases', ['project'])` gives `cases.project`. */
export function under(prefix: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => `${prefix}.${path}`)
}

/** Returns the paths of related datasets for records that link to cases at a path. */
export function relatedToCases(at: string): RelatedPaths {
  const pairs = `${at}.gene`
  return {
    cases: at,
    files: `${at}.files`,
    genes: pairs,
    ssms: `${pairs}.ssm`,
    cnvs: `${pairs}.cnv`,
  }
}

type DatasetGiven = Omit<Dataset, 'expand' | 'joins'> & Partial<Pick<Dataset, 'joins'>>

/**
 * Completes and freezes a dataset: `expand` lists all groups, and nested paths are sorted, parents first. The
 * hidden autocomplete field exists in the real service's indexes and may be requested (data-commons.md
 * 1.2.5).
 */
export function defineDataset(dataset: DatasetGiven): Dataset {
  return freeze({
    joins: [],
    ...dataset,
    hidden: { ...dataset.hidden, [dataset.idField.replace(/_id$/, '_autocomplete')]: 'keyword' },
    nested: dataset.nested.toSorted(),
    expand: [...groupsOf(dataset.fields)].sort(),
  })
}

function freeze<T extends object>(value: T): T {
  for (const member of Object.values(value)) {
    if (typeof member === 'object' && member !== null) freeze(member)
  }
  return Object.freeze(value)
}
