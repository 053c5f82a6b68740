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
 * The steps over a mount to the other dataset's record.
 * @param prefix where the mount's dataset lies as the asking dataset sees it, with a dot at its end
 * @param isNested whether conditions are bound to the elements at a path, as the asking dataset sees it
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

/** The steps to the level of a path in the own documents of a dataset. */
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
