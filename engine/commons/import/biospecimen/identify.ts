import { compareTexts } from '../compare-texts.ts'
import { DisjointSets } from './disjoint-sets.ts'
import { LEVELS, type Level, type LevelName } from './levels.ts'
import type { Specimen } from './observe.ts'

/** Id and name of a specimen. Both are undefined if no source has either. */
export interface SpecimenKey {
  readonly id: string | undefined
  readonly name: string | undefined
}

/** A partition of descriptions into specimens. */
export interface Identified {
  /** Returns the description that represents the specimen. */
  find(specimen: Specimen): Specimen
  keyOf(specimen: Specimen): SpecimenKey
}

/**
 * Finds out which descriptions in a case are about the same specimen: those with the same id, and those with the
 * same name unless several ids have the name. Descriptions with neither are matched by a child that they have in
 * common, or to the only named sample of their file. Two ids are never the same specimen. The order of
 * descriptions does not matter.
 * @param files for each file, the specimens from which it was made
 */
export function identify(
  specimens: readonly Specimen[],
  files: readonly (readonly Specimen[])[],
): Identified {
  const identifying = new Identifying(specimens)
  identifying.joinNamed()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = identifying.count
    // Children first, because parents are identified by their children.
    for (const level of LEVELS.toReversed()) {
      if (level.inner.length === 0) continue
      identifying.joinByChildren(level)
      if (level.name === 'samples') identifying.joinByFiles(level, files)
    }
    if (identifying.count === before) break
  }
  return identifying
}

/** Maximum number of passes. The pass is repeated, because identified parents may identify more children. */
const MAX_ROUNDS = 5

/** For each unnamed specimen, the named specimens that it may be identical to. */
type Candidates = Map<Specimen, Set<Specimen>>

/** Parents of one specimen, taken from all of its descriptions. */
interface Parents {
  readonly nameless: readonly Specimen[]
  /** Representatives of the named parents. */
  readonly named: ReadonlySet<Specimen>
}

class Identifying implements Identified {
  readonly #specimens: readonly Specimen[]
  readonly #sets = new DisjointSets<Specimen>()
  #keys = new Map<Specimen, SpecimenKey>()

  constructor(specimens: readonly Specimen[]) {
    this.#specimens = specimens
  }

  /** Number of specimens. */
  get count(): number {
    return this.#keys.size
  }

  find(specimen: Specimen): Specimen {
    return this.#sets.find(specimen)
  }

  keyOf(specimen: Specimen): SpecimenKey {
    return this.#keys.get(this.find(specimen)) ?? { id: undefined, name: undefined }
  }

  joinNamed(): void {
    for (const group of this.#groupsBy(({ id }) => id).values()) this.#joinAll(group)
    for (const group of this.#groupsBy(({ name }) => name).values()) {
      const ids = [...new Set(group.flatMap(({ id }) => id ?? []))].sort()
      // If several ids have the same name, the name without an id refers to the first of them.
      const [first] = ids
      this.#joinAll(ids.length < 2 ? group : group.filter(({ id }) => (id ?? first) === first))
    }
    this.#noteKeys()
  }

  /**
   * Joins the parents of the same child at one level: those known only by id with those known only by name, and
   * those with neither with those that have one.
   */
  joinByChildren(level: Level): void {
    this.#joinHalfNamed(this.#parentsAt(level))
    const parents = this.#parentsAt(level)
    for (const { nameless } of parents) this.#joinAll(nameless)
    const ancestors = this.#ancestorsAt(level)
    const candidates: Candidates = new Map()
    for (const { nameless, named } of parents) {
      const [some] = nameless
      if (!some) continue
      const set = this.find(some)
      for (const each of named) {
        if (fits(ancestors.get(set), ancestors.get(each))) addTo(candidates, set, each)
      }
    }
    this.#joinFirst(candidates)
  }

  #joinHalfNamed(parents: Iterable<Parents>): void {
    const partners: Candidates = new Map()
    for (const { named } of parents) {
      const [byName, ...otherNames] = [...named].filter((each) => this.keyOf(each).id === undefined)
      const [byId, ...otherIds] = [...named].filter((each) => this.keyOf(each).id !== undefined)
      if (!byId || !byName || otherNames.length + otherIds.length > 0) continue
      if (this.keyOf(byId).name !== undefined) continue
      addTo(partners, byId, byName)
      addTo(partners, byName, byId)
    }
    for (const [one, others] of partners) {
      const [other] = others
      if (other && others.size === 1 && partners.get(other)?.size === 1) this.#joinAll([one, other])
    }
    this.#noteKeys()
  }

  /** Returns all parents at a level of each specimen. */
  #parentsAt(level: Level): readonly Parents[] {
    const byChild = new Map<Specimen, { nameless: Specimen[]; named: Set<Specimen> }>()
    for (const child of this.#specimens) {
      const { above } = child
      if (above?.level !== level) continue
      const set = this.find(child)
      const parents = byChild.get(set) ?? { nameless: [], named: new Set() }
      byChild.set(set, parents)
      if (this.#isNamed(above)) parents.named.add(this.find(above))
      else parents.nameless.push(above)
    }
    return [...byChild.values()]
  }

  /** Identifies the nameless samples of a file with its only named sample. */
  joinByFiles(level: Level, files: readonly (readonly Specimen[])[]): void {
    const candidates: Candidates = new Map()
    for (const file of files) {
      const samples = file.filter((each) => each.level === level)
      const nameless = samples.filter((each) => !this.#isNamed(each))
      const named = samples.filter((each) => this.#isNamed(each))
      const [only, ...others] = new Set(named.map((each) => this.find(each)))
      if (nameless.length === 0 || !only || others.length > 0) continue
      const parents = new Set(file.map(({ above }) => above))
      if (named.every((each) => parents.has(each))) continue
      for (const sample of nameless) addTo(candidates, this.find(sample), only)
    }
    for (const [sample, named] of candidates) if (named.size > 1) candidates.delete(sample)
    this.#joinFirst(candidates)
  }

  #isNamed(specimen: Specimen): boolean {
    const { id, name } = this.keyOf(specimen)
    return id !== undefined || name !== undefined
  }

  #groupsBy(key: (specimen: Specimen) => string | undefined): Map<string, Specimen[]> {
    const groups = new Map<string, Specimen[]>()
    for (const specimen of this.#specimens) {
      const own = key(specimen)
      if (own === undefined) continue
      const full = `${specimen.level.name} ${own}`
      const group = groups.get(full)
      if (group) group.push(specimen)
      else groups.set(full, [specimen])
    }
    return groups
  }

  #joinAll([first, ...others]: readonly Specimen[]): void {
    for (const other of others) if (first) this.#sets.join(first, other)
  }

  /** Joins each set with its first candidate. A pooled specimen has several parents. */
  #joinFirst(candidates: Candidates): void {
    const byKey = (one: Specimen, other: Specimen) =>
      compareKeys(this.keyOf(one), this.keyOf(other))
    for (const [set, named] of candidates)
      this.#joinAll([set, ...[...named].sort(byKey).slice(0, 1)])
    this.#noteKeys()
  }

  #noteKeys(): void {
    const keys = new Map<Specimen, SpecimenKey>()
    for (const specimen of this.#specimens) {
      const set = this.find(specimen)
      const known = keys.get(set)
      keys.set(set, {
        id: known?.id ?? specimen.id,
        name: firstOf(known?.name, specimen.name),
      })
    }
    this.#keys = keys
  }

  /** Returns the named ancestors of the specimens at a level, by level. */
  #ancestorsAt(level: Level): Map<Specimen, Ancestors> {
    const found = new Map<Specimen, Ancestors>()
    for (const specimen of this.#specimens) {
      if (specimen.level !== level) continue
      const set = this.find(specimen)
      const ancestors: Ancestors = found.get(set) ?? new Map()
      found.set(set, ancestors)
      for (let at = specimen.above; at; at = at.above) {
        if (this.#isNamed(at)) addTo(ancestors, at.level.name, this.find(at))
      }
    }
    return found
  }
}

type Ancestors = Map<LevelName, Set<Specimen>>

/** Returns whether two specimens may be the same. If both have known parents, they must have one in common. */
function fits(one: Ancestors | undefined, other: Ancestors | undefined): boolean {
  for (const [level, specimens] of one ?? []) {
    const others = other?.get(level)
    if (others && ![...specimens].some((each) => others.has(each))) return false
  }
  return true
}

function addTo<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, value: Value): void {
  const set = sets.get(key)
  if (set) set.add(value)
  else sets.set(key, new Set([value]))
}

function firstOf(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || (other !== undefined && other < one) ? other : one
}

/** Compares by name, then by id. Keys that have neither come last. */
export function compareKeys(one: SpecimenKey, other: SpecimenKey): number {
  return compareTexts(one.name, other.name) || compareTexts(one.id, other.id)
}
