import type { FieldTree, FieldType } from './define.ts'

/** Type of a leaf, the tree of a group, or `undefined` for a path that the tree lacks. */
export function nodeAt(tree: FieldTree, path: string): FieldType | FieldTree | undefined {
  let node: FieldType | FieldTree | undefined = tree
  for (const name of path.split('.')) {
    // Names come from requests: only a tree's own members count.
    if (typeof node !== 'object' || !Object.hasOwn(node, name)) return undefined
    node = node[name]
  }
  return node
}

/** Names of the fields directly in a tree. */
export function leavesOf(tree: FieldTree): readonly string[] {
  return Object.keys(tree).filter((name) => typeof tree[name] === 'string')
}

/** Paths and types of all fields, depth first. */
export function* fieldsOf(tree: FieldTree, prefix = ''): Generator<readonly [string, FieldType]> {
  for (const [name, node] of Object.entries(tree)) {
    if (typeof node === 'string') yield [prefix + name, node]
    else yield* fieldsOf(node, `${prefix}${name}.`)
  }
}

/** Paths of all groups, depth first. */
export function* groupsOf(tree: FieldTree, prefix = ''): Generator<string> {
  for (const [name, node] of Object.entries(tree)) {
    if (typeof node === 'string') continue
    yield prefix + name
    yield* groupsOf(node, `${prefix}${name}.`)
  }
}
