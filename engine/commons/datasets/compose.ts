import type { Dataset, FieldTree, FieldType, RelatedPaths } from './define.ts'
import { groupsOf } from './tree.ts'

const words = (text: string) => text.trim().split(/\s+/)

/** A tree from names by type, blank-separated, and the groups below it. */
export function fields(
  names: Readonly<Partial<Record<FieldType, string>>>,
  groups: FieldTree = {},
): FieldTree {
  const leaves = Object.entries(names).flatMap(([type, text]) =>
    words(text).map((name): [string, FieldType] => [name, type as FieldType]),
  )
  return { ...Object.fromEntries(leaves), ...groups }
}

/** The members of a tree that are named, blank-separated; a name that the tree lacks is a bug. */
export function pick(tree: FieldTree, names: string): FieldTree {
  return Object.fromEntries(
    words(names).map((name) => {
      const node = tree[name]
      if (node === undefined) throw new Error(`no field ${name} to pick`)
      return [name, node]
    }),
  )
}

/** The fields of both trees. */
export function merge(one: FieldTree, other: FieldTree): FieldTree {
  const merged: Record<string, FieldType | FieldTree> = { ...one }
  for (const [name, node] of Object.entries(other)) {
    const first = merged[name]
    merged[name] = typeof first === 'object' && typeof node === 'object' ? merge(first, node) : node
  }
  return merged
}

/** Paths as they are called below a prefix. */
export function under(prefix: string, paths: readonly string[]): readonly string[] {
  return paths.map((path) => `${prefix}.${path}`)
}

/** Where records that lead to cases have the fields of these, and of what cases lead to. */
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

export type DatasetGiven = Omit<Dataset, 'expand' | 'joins'> & Partial<Pick<Dataset, 'joins'>>

/**
 * A dataset whose `expand` is all of its groups; frozen, nested paths parents first. The real
 * service's indexes have a field for completing ids; requests may name it (data-commons.md 1.2.5).
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
