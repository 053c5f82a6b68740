import type { RelatedCase } from './entity-result.ts'
import { type BareEntity, CASE, type Edge } from './graph.ts'
import type { GraphView } from './links.ts'

const NONE: readonly RelatedCase[] = Object.freeze([])

/** Ancestors of entities. Each entity is visited once. */
export class Ancestry {
  readonly #view: Pick<GraphView, 'entity' | 'parents'>
  readonly #cases = new Map<string, readonly RelatedCase[]>()
  readonly #under = new Set<string>()
  /** Entities that are their own ancestors. */
  readonly #circular = new Set<string>()

  constructor(view: Pick<GraphView, 'entity' | 'parents'>) {
    this.#view = view
  }

  /** Returns all cases above an entity, through any number of links (submission.md 9). A case has none above it. */
  casesOf(entity: BareEntity): readonly RelatedCase[] {
    const known = this.#cases.get(entity.id) ?? this.#casesUnderOne(entity)
    if (known) return known
    // This is a loop instead of a recursion, because one transaction may create very long chains of links.
    const path: Step[] = [this.#step(entity)]
    for (;;) {
      const step = path.at(-1)
      if (!step) return this.#cases.get(entity.id) ?? NONE
      const next = step.parents[step.at++]
      if (!next) {
        this.#finish(step)
        path.pop()
      } else if (this.#under.has(next.id)) this.#mark(path, next.id)
      else if (!this.#cases.has(next.id)) path.push(this.#step(next))
    }
  }

  /**
   * Fast path for the most common entity: it has a single parent, which was already visited. It cannot be part
   * of a cycle, because it would then have been visited with its parent.
   */
  #casesUnderOne(entity: BareEntity): readonly RelatedCase[] | undefined {
    const edges = this.#view.parents(entity)
    const parent = edges.length === 1 ? this.#view.entity(edges[0]?.parent ?? '') : undefined
    if (!parent || !this.#cases.has(parent.id)) return undefined
    const cases = this.#casesUnder(parent)
    this.#cases.set(entity.id, cases)
    return cases
  }

  #casesUnder(parent: BareEntity): readonly RelatedCase[] {
    const cases = this.#cases.get(parent.id) ?? NONE
    return parent.type === CASE ? [relatedCase(parent), ...cases] : cases
  }

  /** Returns whether links lead from an entity back to itself. */
  isCircular(entity: BareEntity): boolean {
    this.casesOf(entity)
    return this.#circular.has(entity.id)
  }

  #step(entity: BareEntity): Step {
    this.#under.add(entity.id)
    const edges = this.#view.parents(entity)
    // Two links may lead to the same parent.
    const ids = edges.length === 1 ? [edges[0]?.parent ?? ''] : new Set(edges.map(parentOf))
    const parents: BareEntity[] = []
    for (const id of ids) {
      const parent = this.#view.entity(id)
      // The parent may be a project, which is not an entity and has no ancestors.
      if (parent) parents.push(parent)
    }
    return { entity, parents, at: 0 }
  }

  #mark(path: readonly Step[], id: string): void {
    const from = path.findIndex(({ entity }) => entity.id === id)
    for (const { entity } of path.slice(from)) this.#circular.add(entity.id)
  }

  #finish({ entity, parents }: Step): void {
    this.#under.delete(entity.id)
    const [only] = parents
    if (!only) this.#cases.set(entity.id, NONE)
    else if (parents.length === 1) this.#cases.set(entity.id, this.#casesUnder(only))
    else {
      const all = parents.flatMap((parent) => this.#casesUnder(parent))
      const distinct = new Map(all.map((one) => [one.id, one]))
      this.#cases.set(entity.id, [...distinct.values()])
    }
  }
}

interface Step {
  readonly entity: BareEntity
  readonly parents: readonly BareEntity[]
  at: number
}

const parentOf = ({ parent }: Edge): string => parent

function relatedCase({ id, submitterId }: BareEntity): RelatedCase {
  return { id, submitter_id: submitterId }
}
