import type { FieldTree, FieldType } from './define.ts'

/** Returns the type of a leaf, the tree of a group, or undefined if the tree lacks the path. */
export function nodeAt(tree: FieldTree, path: string): FieldType | FieldTree | undefined {
  let node: FieldType | FieldTree | undefined = tree
  for (const name of path.split('.')) {
    // Names come from requests, so inherited properties such as `constructor` must not be found.
    if (typeof node !== 'object' || !Object.hasOwn(node, name)) return undefined
    node = node[name]
  }
  return node
}

/** Returns the names of the fields directly in a tree. */
export function leavesOf(tree: FieldTree): readonly string[] {
  return Object.keys(tree).filter((name) => typeof tree[name] === 'string')
}

/** Yields the path and type of every field, depth first. */
export function* fieldsOf(tree: FieldTree, prefix = ''): Generator<readonly [string, FieldType]> {
  for (const [name, node] of Object.entries(tree)) {
    if (typeof node === 'string') yield [prefix + name, node]
    else yield* fieldsOf(node, `${prefix}${name}.`)
  }
}

/** Yields the path of every group, depth first. */
export function* groupsOf(tree: FieldTree, prefix = ''): Generator<string> {
  for (const [name, node] of Object.entries(tree)) {
    if (typeof node === 'string') continue
    yield prefix + name
    yield* groupsOf(node, `${prefix}${name}.`)
  }
}
