import type { RelatedCase } from './entity-result.ts'
import { CASE, type StoredEntity } from './graph.ts'
import type { GraphView } from './links.ts'

const NONE: readonly RelatedCase[] = Object.freeze([])

/** What is above entities, each looked at once. */
export class Ancestry {
  readonly #view: Pick<GraphView, 'entity' | 'parents'>
  readonly #cases = new Map<string, readonly RelatedCase[]>()
  readonly #under = new Set<string>()
  /** Entities that are their own ancestors. */
  readonly #circular = new Set<string>()

  constructor(view: Pick<GraphView, 'entity' | 'parents'>) {
    this.#view = view
  }

  /** All cases above an entity through any number of links (submission.md 9): none above a case. */
  casesOf(entity: StoredEntity): readonly RelatedCase[] {
    const known = this.#cases.get(entity.id)
    if (known) return known
    // As deep as links of one transaction may make it, so there is no recursion.
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

  /** Whether links lead from an entity back to it. */
  isCircular(entity: StoredEntity): boolean {
    this.casesOf(entity)
    return this.#circular.has(entity.id)
  }

  #step(entity: StoredEntity): Step {
    this.#under.add(entity.id)
    const ids = new Set(this.#view.parents(entity).map(({ parent }) => parent))
    // A project is no entity; nothing is above it.
    const parents = [...ids].flatMap((id) => this.#view.entity(id) ?? [])
    return { entity, parents, at: 0 }
  }

  #mark(path: readonly Step[], id: string): void {
    const from = path.findIndex(({ entity }) => entity.id === id)
    for (const { entity } of path.slice(from)) this.#circular.add(entity.id)
  }

  #finish({ entity, parents }: Step): void {
    this.#under.delete(entity.id)
    const above = parents.map((parent) => {
      const cases = this.#cases.get(parent.id) ?? NONE
      return parent.type === CASE ? [relatedCase(parent), ...cases] : cases
    })
    const [first = NONE, ...others] = above
    if (others.length === 0) this.#cases.set(entity.id, first)
    else {
      const distinct = new Map(above.flat().map((one) => [one.id, one]))
      this.#cases.set(entity.id, [...distinct.values()])
    }
  }
}

interface Step {
  readonly entity: StoredEntity
  readonly parents: readonly StoredEntity[]
  at: number
}

function relatedCase({ id, submitterId }: StoredEntity): RelatedCase {
  return { id, submitter_id: submitterId }
}
