import { isObject } from '../../../shared/input/unknowns.ts'

/** A difference in a member. A side without the member is left out. */
export interface MemberChange {
  /** Path such as `inputs[size].default`. */
  readonly at: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly before?: unknown
  readonly after?: unknown
}

/**
 * Compares two JSON values member by member. List elements are matched by `id`, `key` or `name` if all elements
 * have one and no two are equal. Other lists are compared as a whole.
 */
export function* memberDifference(
  before: unknown,
  after: unknown,
  at = '',
): Generator<MemberChange> {
  if (before === undefined && after === undefined) return
  if (before === undefined) return yield { at, change: 'added', after }
  if (after === undefined) return yield { at, change: 'removed', before }
  const [own, other] = [elementsOf(before), elementsOf(after)]
  if (own && other && own.by === other.by) {
    for (const name of new Set([...other.elements.keys(), ...own.elements.keys()])) {
      yield* memberDifference(
        own.elements.get(name),
        other.elements.get(name),
        placeOf(at, name, own.by),
      )
    }
    const [orderBefore, orderAfter] = [orderOf(own, other), orderOf(other, own)]
    if (own.by !== MEMBERS && !isEqual(orderBefore, orderAfter)) {
      yield { at, change: 'changed', before: orderBefore, after: orderAfter }
    }
  } else if (!isEqual(before, after)) yield { at, change: 'changed', before, after }
}

/** Identifies the members of an object, as opposed to list elements. */
const MEMBERS = 'members'
const NAMES = ['id', 'key', 'name'] as const

/** The parts of a value. */
interface Elements {
  /** Member that names list elements, or MEMBERS for the members of an object. */
  readonly by: typeof MEMBERS | (typeof NAMES)[number]
  readonly elements: ReadonlyMap<string, unknown>
}

/** Returns the parts of a value by name. Returns undefined if the value is compared as a whole. */
function elementsOf(value: unknown): Elements | undefined {
  if (isObject(value)) return { by: MEMBERS, elements: new Map(Object.entries(value)) }
  if (!Array.isArray(value)) return undefined
  for (const by of NAMES) {
    const elements = new Map<string, unknown>()
    for (const element of value) {
      const name: unknown = isObject(element) ? element[by] : undefined
      if (typeof name === 'string') elements.set(name, element)
    }
    if (elements.size === value.length && value.length > 0) return { by, elements }
  }
  return undefined
}

/** Returns the names that both values have, in the order of the first. */
const orderOf = ({ elements }: Elements, other: Elements) =>
  [...elements.keys()].filter((name) => other.elements.has(name))

function placeOf(at: string, name: string, by: Elements['by']): string {
  if (by !== MEMBERS) return `${at}[${name}]`
  return at === '' ? name : `${at}.${name}`
}

const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
