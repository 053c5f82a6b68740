import type { Dataset, FieldType, Mount } from './define.ts'
import type { FieldPath, Step } from './field-path.ts'
import { DATASETS } from './index.ts'
import { nodeAt } from './tree.ts'

/** The real service's names of fields, which requests may use (data-commons.md, Names). */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['dbgap_accession_number', 'registry_accession_number'],
  ['cosmic_id', 'catalog_id'],
  ['ncbi_build', 'agency_build'],
])

/** Returns all names of a field that requests may use. Its own name comes first. */
export function namesOf(name: string): readonly string[] {
  return [name, ...[...ALIASES].flatMap(([alias, own]) => (own === name ? alias : []))]
}

/** Translates a path to the names that this project uses. */
export function canonicalPath(path: string): string {
  return path
    .split('.')
    .map((name) => ALIASES.get(name) ?? name)
    .join('.')
}

/** Returns the type of an advertised or hidden field by its canonical path. Undefined for any other path. */
export function typeOf(dataset: Dataset, path: string): FieldType | undefined {
  for (const tree of [dataset.fields, dataset.hidden]) {
    const node = nodeAt(tree, path)
    if (typeof node === 'string') return node
  }
  return undefined
}

/**
 * Resolves a field name, without the dataset's prefix, in this project's or the real service's names
 * (data-commons.md 1.2). Returns undefined for groups and unknown names. The id of a linked record is read from
 * that record, so a link to a missing record has no id.
 */
export function resolveField(dataset: Dataset, name: string): FieldPath | undefined {
  const path = canonicalPath(name)
  const type = typeOf(dataset, path)
  if (type === undefined) return undefined

  const steps: Step[] = []
  const isNested = (full: string) => dataset.nested.includes(full)
  let at = dataset
  let prefix = ''
  let rest = path
  for (let mount = mountOn(at, rest); mount; mount = mountOn(at, rest)) {
    steps.push(...stepsOver(at, mount, prefix, isNested))
    const member = rest.slice(mount.at.length + 1)
    prefix += `${mount.at}.`
    at = DATASETS[mount.dataset]
    if (mount.kind === 'reverse') rest = mount.names[member] ?? member
    else rest = member === mount.by ? at.idField : member
  }
  steps.push(...levelSteps(at, rest, prefix, isNested))
  const column = { dataset: at.name, path: rest }
  return { path, type, steps, column }
}

/**
 * Returns the steps across a mount to the other dataset's record.
 * @param prefix path of the mount's dataset as seen from the requested dataset, with a trailing dot
 * @param isNested whether conditions bind to the elements at a path, as seen from the requested dataset
 */
export function stepsOver(
  at: Dataset,
  mount: Mount,
  prefix: string,
  isNested: (path: string) => boolean,
): readonly Step[] {
  const path = prefix + mount.at
  const above = levelSteps(at, mount.at, prefix, isNested)
  const { name: dataset } = at
  if (mount.kind === 'link') {
    return [...above, { kind: 'link', dataset, at: mount.at, target: mount.dataset, path }]
  }
  const { dataset: target, through } = mount
  return [...above, { kind: 'reverse', dataset, target, through, nested: isNested(path), path }]
}

/** Returns the steps to the level of a path within a dataset's own documents. */
function levelSteps(
  at: Dataset,
  path: string,
  prefix: string,
  isNested: (path: string) => boolean,
): readonly Step[] {
  return levelsOn(at, path).map((level): Step => {
    const full = prefix + level
    return { kind: 'level', dataset: at.name, level, nested: isNested(full), path: full }
  })
}

/** Returns whether a member is stored with the link rather than with the linked record. */
export function isOwnMember(mount: Mount, member: string): boolean {
  if (mount.kind === 'reverse') return false
  return mount.own.some((own) => member === own || member.startsWith(`${own}.`))
}

/** Returns the mount that a field's path leads through, unless the field is stored with the mount. */
function mountOn(dataset: Dataset, path: string): Mount | undefined {
  const mount = dataset.mounts.find(({ at }) => path.startsWith(`${at}.`))
  if (!mount || isOwnMember(mount, path.slice(mount.at.length + 1))) return undefined
  return mount
}

/** Returns the levels of a dataset's own documents at or above a path, parents first. */
function levelsOn(dataset: Dataset, path: string): readonly string[] {
  const reverse = dataset.mounts.filter(({ kind }) => kind === 'reverse').map(({ at }) => at)
  return dataset.nested.filter(
    (level) => (path === level || path.startsWith(`${level}.`)) && !reverse.includes(level),
  )
}
