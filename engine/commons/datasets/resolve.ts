import type { Dataset, FieldType, Mount } from './define.ts'
import type { FieldPath, Step } from './field-path.ts'
import { DATASETS } from './index.ts'
import { nodeAt } from './tree.ts'

/** Names of the real service by which requests may call fields (data-commons.md, Names). */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['dbgap_accession_number', 'registry_accession_number'],
  ['cosmic_id', 'catalog_id'],
  ['ncbi_build', 'agency_build'],
])

/** A path in the names of this project, whichever service's names it is in. */
export function canonicalPath(path: string): string {
  return path
    .split('.')
    .map((name) => ALIASES.get(name) ?? name)
    .join('.')
}

/** Type of a field, advertised or hidden, by its canonical path; `undefined` for all else. */
export function typeOf(dataset: Dataset, path: string): FieldType | undefined {
  for (const tree of [dataset.fields, dataset.hidden]) {
    const node = nodeAt(tree, path)
    if (typeof node === 'string') return node
  }
  return undefined
}

export function isFilterOnly(dataset: Dataset, path: string): boolean {
  return dataset.filterOnly.some((group) => path === group || path.startsWith(`${group}.`))
}

/**
 * Where a field is stored, named without the dataset's own prefix, in the names of this project or
 * of the real service (data-commons.md 1.2). Groups and unknown names give `undefined`. The id of a linked
 * record is that record's own id field, so a link that leads nowhere has none.
 */
export function resolveField(dataset: Dataset, name: string): FieldPath | undefined {
  const path = canonicalPath(name)
  const type = typeOf(dataset, path)
  if (type === undefined) return undefined

  const steps: Step[] = []
  let at = dataset
  let prefix = ''
  let rest = path
  for (;;) {
    const mount = mountOn(at, rest)
    for (const level of levelsOn(at, mount?.at ?? rest)) {
      const full = prefix + level
      const nested = dataset.nested.includes(full)
      steps.push({ kind: 'level', dataset: at.name, level, nested, path: full })
    }
    if (!mount) break
    const full = prefix + mount.at
    const member = rest.slice(mount.at.length + 1)
    if (mount.kind === 'link') {
      steps.push({
        kind: 'link',
        dataset: at.name,
        at: mount.at,
        target: mount.dataset,
        path: full,
      })
      at = DATASETS[mount.dataset]
      rest = member === mount.by ? at.idField : member
    } else {
      steps.push({
        kind: 'reverse',
        dataset: at.name,
        target: mount.dataset,
        through: mount.through,
        nested: dataset.nested.includes(full),
        path: full,
      })
      at = DATASETS[mount.dataset]
      rest = mount.names[member] ?? member
    }
    prefix = `${full}.`
  }
  const column = { dataset: at.name, path: rest }
  return { path, type, steps, column, filterOnly: isFilterOnly(dataset, path) }
}

/** As `resolveField`, for filters: the dataset's own name may stand in front (data-commons.md 1.2.1). */
export function resolveFilterField(dataset: Dataset, name: string): FieldPath | undefined {
  const own = `${dataset.name}.`
  return resolveField(dataset, name.startsWith(own) ? name.slice(own.length) : name)
}

export interface Resolver {
  resolve(name: string): FieldPath | undefined
  resolveFilter(name: string): FieldPath | undefined
}

/** Both of the above for one dataset; it remembers the fields that were asked for. */
export function createResolver(dataset: Dataset): Resolver {
  return {
    resolve: remembering((name) => resolveField(dataset, name)),
    resolveFilter: remembering((name) => resolveFilterField(dataset, name)),
  }
}

/** Only fields are remembered, so that unknown names take no memory. */
function remembering(resolve: Resolver['resolve']): Resolver['resolve'] {
  const known = new Map<string, FieldPath>()
  return (name) => {
    const found = known.get(name) ?? resolve(name)
    if (found) known.set(name, found)
    return found
  }
}

/** Whether a link's member is stored with the link, not with the record that it leads to. */
export function isOwnMember(mount: Mount, member: string): boolean {
  if (mount.kind === 'reverse') return false
  return mount.own.some((own) => member === own || member.startsWith(`${own}.`))
}

/** The mount that a field's way leads through, unless the field is one of the mount's own. */
function mountOn(dataset: Dataset, path: string): Mount | undefined {
  const mount = dataset.mounts.find(({ at }) => path.startsWith(`${at}.`))
  if (!mount || isOwnMember(mount, path.slice(mount.at.length + 1))) return undefined
  return mount
}

/** Levels of the own documents at or above a path, parents first. */
function levelsOn(dataset: Dataset, path: string): readonly string[] {
  const reverse = dataset.mounts.filter(({ kind }) => kind === 'reverse').map(({ at }) => at)
  return dataset.nested.filter(
    (level) => (path === level || path.startsWith(`${level}.`)) && !reverse.includes(level),
  )
}
