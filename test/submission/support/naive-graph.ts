import type {
  EntityType,
  Link,
  LinkGroup,
  Multiplicity,
} from '../../../engine/submission/dictionary/entity-type.ts'
import type { Property } from '../../../engine/submission/dictionary/property.ts'

// A second implementation of resolution, links and their multiplicities by submission.md (submission.md 7.4 to
// 7.8, 11), as slow and as plain as can be, over types made for it.

interface MadeType {
  readonly links: Readonly<Record<string, readonly [target: string, Multiplicity, 'required' | '']>>
  readonly group?: {
    readonly exclusive: boolean
    readonly required: boolean
    readonly links: readonly string[]
  }
}

/** One type for each multiplicity and each kind of group, and one that may form circles. */
export const MADE_TYPES: Readonly<Record<string, MadeType>> = {
  case: { links: {} },
  one: { links: { cases: ['case', 'one_to_one', 'required'] } },
  few: { links: { cases: ['case', 'one_to_many', 'required'] } },
  many: { links: { cases: ['case', 'many_to_one', 'required'] } },
  either: {
    links: { ones: ['one', 'many_to_many', ''], manies: ['many', 'many_to_one', ''] },
    group: { exclusive: true, required: true, links: ['ones', 'manies'] },
  },
  any: {
    links: { cases: ['case', 'many_to_many', ''], eithers: ['either', 'one_to_many', ''] },
    group: { exclusive: false, required: true, links: ['cases', 'eithers'] },
  },
  loop: { links: { cases: ['case', 'many_to_one', ''], loops: ['loop', 'many_to_one', ''] } },
}

const COLOURS = ['red', 'green']

/** The types in the engine's form. */
export function madeTypes(): ReadonlyMap<string, EntityType> {
  return new Map(Object.entries(MADE_TYPES).map(([name, type]) => [name, madeType(name, type)]))
}

function madeType(name: string, { links, group }: MadeType): EntityType {
  const all = Object.entries(links).map(([link, [target, multiplicity, required]]): Link => {
    return {
      name: link,
      backref: `${name}s`,
      label: 'of',
      target,
      multiplicity,
      required: required === 'required',
    }
  })
  const groups: LinkGroup[] = group
    ? [{ ...group, links: all.filter((link) => group.links.includes(link.name)) }]
    : []
  const text: Property = { kinds: new Set(['string']) }
  return {
    name,
    category: 'clinical',
    submittable: true,
    properties: new Map<string, Property>([
      ...['id', 'type', 'project_id', 'submitter_id'].map((key) => [key, text] as const),
      ['state', { ...text, default: 'validated' }],
      ['size', { kinds: new Set(['integer']) }],
      ['colour', { values: new Set(COLOURS) }],
      ...all.map((link) => [link.name, {}] as const),
    ]),
    required: ['submitter_id', 'size'],
    links: new Map(all.map((link) => [link.name, link])),
    groups,
    uniqueKeys: [['id'], ['project_id', 'submitter_id']],
    systemProperties: new Set(['id', 'project_id', 'state']),
    schema: {},
  }
}

export interface MadeDocument {
  readonly type: string
  readonly submitter_id: string
  readonly size?: unknown
  readonly colour?: unknown
  /** Names of parents by link. */
  readonly links: Readonly<Record<string, readonly string[]>>
}

interface NaiveEntity {
  readonly type: string
  readonly properties: Readonly<Record<string, unknown>>
  readonly links: Readonly<Record<string, readonly string[]>>
}

export type NaiveGraph = ReadonlyMap<string, NaiveEntity>
export type UploadOperation = 'create' | 'put' | 'patch'

interface NaiveOutcome {
  readonly success: boolean
  /** Whether each document is valid, in order; undefined where a circle leaves it open. */
  readonly valid: readonly (boolean | undefined)[]
  /** Names of the cases above each valid document. */
  readonly cases: readonly (readonly string[])[]
  /** The graph afterwards, unchanged if the request failed. */
  readonly graph: NaiveGraph
}

export function naiveUpload(
  stored: NaiveGraph,
  operation: UploadOperation,
  documents: readonly MadeDocument[],
): NaiveOutcome {
  const names = documents.map((one) => one.submitter_id)
  // The first document determines the entity of a name; a second type with the same name is an error.
  const holders = new Map<string, string>()
  let hasTwice = false
  const isOwnRight = documents.map((one) => {
    if (!isResolved(stored, operation, one)) return false
    const holder = holders.get(one.submitter_id)
    if (holder === one.type) hasTwice = true
    if (holder !== undefined && holder !== one.type) return false
    holders.set(one.submitter_id, one.type)
    return isRightAlone(operation, one)
  })
  // First come all documents that are valid by themselves, so that they find each other; then those that found
  // all parents.
  const known = new Map(stored)
  for (const [i, one] of documents.entries()) {
    if (isOwnRight[i]) known.set(one.submitter_id, merged(stored, one))
  }
  const isLinked = documents.map(
    (one, i) =>
      isOwnRight[i] &&
      Object.entries(one.links).every(([link, parents]) =>
        parents.every(
          (parent) =>
            parent !== one.submitter_id &&
            known.get(parent)?.type === MADE_TYPES[one.type]?.links[link]?.[0],
        ),
      ),
  )
  const graph = new Map(stored)
  for (const [i, one] of documents.entries()) {
    if (isLinked[i]) graph.set(one.submitter_id, merged(stored, one))
  }
  const valid = documents.map((one, i) => {
    if (!isLinked[i]) return false
    if (isInCircle(graph, one.submitter_id)) return undefined
    return keepsRules(graph, one.submitter_id)
  })
  const success = documents.length > 0 && !hasTwice && valid.every((one) => one === true)
  return {
    success,
    valid: hasTwice ? names.map(() => undefined) : valid,
    cases: names.map((name) => casesAbove(graph, name)),
    graph: success ? graph : stored,
  }
}

function isResolved(
  stored: NaiveGraph,
  operation: UploadOperation,
  { type, submitter_id }: MadeDocument,
): boolean {
  const found = stored.get(submitter_id)
  if (found && (operation === 'create' || found.type !== type)) return false
  return found !== undefined || operation !== 'patch'
}

function isRightAlone(operation: UploadOperation, { size, colour }: MadeDocument): boolean {
  if (size === undefined ? operation !== 'patch' : !Number.isInteger(size)) return false
  return colour === undefined || COLOURS.some((known) => known === colour)
}

function merged(stored: NaiveGraph, { type, submitter_id, size, colour, links }: MadeDocument) {
  const before = stored.get(submitter_id)
  const given = {
    ...(size !== undefined && { size }),
    ...(colour !== undefined && { colour }),
  }
  const all = new Map<string, readonly string[]>(Object.entries(before?.links ?? {}))
  for (const [link, parents] of Object.entries(links)) {
    const both = [...new Set([...(all.get(link) ?? []), ...parents])].sort()
    if (both.length > 0) all.set(link, both)
  }
  return { type, properties: { ...before?.properties, ...given }, links: Object.fromEntries(all) }
}

function keepsRules(graph: NaiveGraph, name: string): boolean {
  const entity = graph.get(name)
  const type = MADE_TYPES[entity?.type ?? '']
  if (!entity || !type) return false
  for (const [link, [, multiplicity, required]] of Object.entries(type.links)) {
    const parents = entity.links[link] ?? []
    if (required === 'required' && parents.length === 0) return false
    const [children, ofParents] = multiplicity.split('_to_')
    if (ofParents === 'one' && parents.length > 1) return false
    const isShared = (parent: string) =>
      [...graph.values()].filter(
        (one) => one.type === entity.type && one.links[link]?.includes(parent),
      ).length > 1
    if (children === 'one' && parents.some(isShared)) return false
  }
  const used = (type.group?.links ?? []).filter((link) => (entity.links[link] ?? []).length > 0)
  if (type.group?.required && used.length === 0) return false
  return !(type.group?.exclusive && used.length > 1)
}

function above(graph: NaiveGraph, name: string): ReadonlySet<string> {
  const found = new Set<string>()
  const visit = (one: string) => {
    for (const parent of Object.values(graph.get(one)?.links ?? {}).flat()) {
      if (found.has(parent)) continue
      found.add(parent)
      visit(parent)
    }
  }
  visit(name)
  return found
}

const isInCircle = (graph: NaiveGraph, name: string) => above(graph, name).has(name)

function casesAbove(graph: NaiveGraph, name: string): readonly string[] {
  return [...above(graph, name)].filter((one) => graph.get(one)?.type === 'case').sort()
}

export function naiveDelete(
  stored: NaiveGraph,
  names: readonly string[],
): Pick<NaiveOutcome, 'success' | 'graph'> {
  const isGone = new Set(names)
  const known = names.every((name) => stored.has(name))
  const left = [...stored].filter(([name]) => !isGone.has(name))
  const isFree = left.every(([, { links }]) =>
    Object.values(links).every((parents) => parents.every((parent) => !isGone.has(parent))),
  )
  const success = known && isFree
  return { success, graph: success ? new Map(left) : stored }
}
