import type { JsonObject } from '../../../shared/input/json-value.ts'
import { type Conflicts, mergeInto } from '../merge.ts'
import { sampleTypeInBarcode } from './barcode.ts'
import { compareKeys, type Identified, type SpecimenKey } from './identify.ts'
import { LEVELS, type Level, type LevelName } from './levels.ts'
import type { Specimen } from './observe.ts'

/** A specimen in one of its positions. A pooled specimen has a node below each of its parents. */
interface Node {
  readonly level: Level
  /** Representative of the descriptions that are the same specimen. */
  readonly set: Specimen
  /** Parent in this position. */
  readonly above: Node | undefined
  /** Children, keyed by level and distinguishing properties. */
  readonly below: Map<string, Node>
}

/** Descriptions of one rank. Higher ranks take precedence. Within a rank, later descriptions do. */
export interface Described {
  readonly rank: number
  readonly specimens: readonly Specimen[]
}

/** All specimens of one case, merged from their descriptions. Each occurs once in every position. */
export class SpecimenTree {
  readonly #identified: Identified
  readonly #members: ReadonlyMap<Specimen, JsonObject>
  readonly #roots = new Map<string, Node>()
  readonly #places = new Map<Specimen, Node[]>()

  /** @param described in ascending order of rank, then of their sources */
  constructor(described: readonly Described[], identified: Identified, conflicts: Conflicts) {
    this.#identified = identified
    this.#members = mergeMembers(described, identified, conflicts)
    const nodes = new Map<Specimen, Node>()
    for (const { specimens } of described) {
      for (const specimen of specimens) nodes.set(specimen, this.#place(specimen, nodes))
    }
  }

  /** Returns the case's `samples`, independent of the order of the descriptions. */
  samples(): readonly JsonObject[] {
    return this.#documents(this.#roots, undefined)
  }

  /** Returns the `samples` of a file: the specimens from which it was made, with all their ancestors. */
  samplesOf(mentioned: readonly Specimen[]): readonly JsonObject[] {
    const retained = new Set<Node>()
    for (const specimen of mentioned) {
      for (const place of this.#places.get(this.#identified.find(specimen)) ?? []) {
        for (let at: Node | undefined = place; at && !retained.has(at); at = at.above)
          retained.add(at)
      }
    }
    return this.#documents(this.#roots, retained)
  }

  /** Places a specimen. Parents must be placed before their children. */
  #place(specimen: Specimen, nodes: ReadonlyMap<Specimen, Node>): Node {
    const { level } = specimen
    const above = specimen.above && nodes.get(specimen.above)
    const siblings = above?.below ?? this.#roots
    const set = this.#identified.find(specimen)
    const name = `${level.name} ${this.#distinction(set)}`
    const known = siblings.get(name)
    const node = known ?? { level, set, above, below: new Map() }
    siblings.set(name, node)
    const places = this.#places.get(set)
    if (!places) this.#places.set(set, [node])
    else if (!places.includes(node)) places.push(node)
    return node
  }

  /**
   * Returns the text that distinguishes a specimen from its siblings: its id or name or, without these, all its
   * properties.
   */
  #distinction(set: Specimen): string {
    const { id, name } = this.#identified.keyOf(set)
    if (id !== undefined) return `id ${id}`
    return name === undefined ? contentOf(this.#members.get(set) ?? {}) : `name ${name}`
  }

  #documents(
    nodes: ReadonlyMap<string, Node>,
    retained: ReadonlySet<Node> | undefined,
  ): JsonObject[] {
    return [...nodes.values()]
      .filter((node) => !retained || retained.has(node))
      .map((node) => ({ node, key: this.#identified.keyOf(node.set) }))
      .sort((one, other) => compareKeys(one.key, other.key) || this.#compareContents(one, other))
      .map(({ node, key }) => this.#document(node, key, retained))
  }

  #compareContents(one: { readonly node: Node }, other: { readonly node: Node }): number {
    const [first, second] = [this.#distinction(one.node.set), this.#distinction(other.node.set)]
    return first < second ? -1 : first > second ? 1 : 0
  }

  #document(
    node: Node,
    { name }: SpecimenKey,
    retained: ReadonlySet<Node> | undefined,
  ): JsonObject {
    const document: JsonObject = { ...this.#members.get(node.set) }
    if (name !== undefined) {
      document.submitter_id ??= name
      const type = node.level.name === 'samples' ? sampleTypeInBarcode(name) : undefined
      if (type !== undefined) document.sample_type ??= type
    }
    for (const { name: list } of node.level.inner) {
      const below = this.#documents(childrenIn(node, list), retained)
      if (below.length > 0) document[list] = below
    }
    return document
  }
}

const childrenIn = ({ below }: Node, list: LevelName) =>
  new Map([...below].filter(([, { level }]) => level.name === list))

/** Returns the merged descriptions of each specimen, keyed by its representative. */
function mergeMembers(
  described: readonly Described[],
  identified: Identified,
  conflicts: Conflicts,
): ReadonlyMap<Specimen, JsonObject> {
  const merged = new Map<Specimen, { readonly members: JsonObject; rank: number }>()
  const conflictsAt = new Map<Level, Conflicts>(LEVELS.map((level) => [level, new Map()]))
  for (const { rank, specimens } of described) {
    for (const specimen of specimens) {
      const set = identified.find(specimen)
      const known = merged.get(set)
      if (!known) merged.set(set, { members: { ...specimen.members }, rank })
      else {
        mergeInto(known.members, specimen.members, {
          isStronger: rank > known.rank,
          conflicts: conflictsAt.get(specimen.level) ?? conflicts,
        })
        known.rank = rank
      }
    }
  }
  for (const [{ name: list }, own] of conflictsAt) {
    for (const [name, count] of own) {
      const path = `${list}.${name}`
      conflicts.set(path, (conflicts.get(path) ?? 0) + count)
    }
  }
  return new Map([...merged].map(([set, { members }]) => [set, members]))
}

/** Returns the members that are not null as text, sorted by name. Empty if there are none. */
function contentOf(members: JsonObject): string {
  const said = Object.entries(members).filter(([, value]) => value !== null)
  return said.length === 0
    ? ''
    : JSON.stringify(said.sort(([one], [other]) => (one < other ? -1 : 1)))
}
