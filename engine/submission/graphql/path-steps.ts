import type { GraphModel, GraphType } from './model.ts'

/** A step of a path, as a transition between numbered states. A path starts in state 0. */
interface PathStep {
  readonly from: number
  readonly link: string
  /** Type that the step leads to. */
  readonly type: string
  readonly to: number
}

/** All paths from one type to another in one direction. */
export interface PathPlan {
  readonly side: 'parents' | 'children'
  readonly steps: readonly PathStep[]
  /** States in which a path may end. */
  readonly ends: readonly number[]
}

/** Distance from cases by category. Any other type has the distance of the type before it on a path. */
const LEVELS: ReadonlyMap<string, number> = new Map([
  ['administrative', 0],
  ['biospecimen', 1],
  ['clinical', 1],
  ['data_file', 3],
])

/** Types that end every path (submission.md 15.1). */
const LAST_TYPES: ReadonlySet<string> = new Set([
  'annotation',
  'center',
  'archive',
  'tissue_source_site',
  'file',
])

interface State {
  readonly type: GraphType
  readonly level: number | undefined
}

/**
 * Returns the paths of links from one type to another. A path leads only upwards or only downwards: the distance
 * from cases never changes direction, so that no path returns to a case (submission.md 15.1).
 */
export function pathPlans(model: GraphModel, from: string, to: string): readonly PathPlan[] {
  const first = model.types.get(from)
  if (!first || !model.types.has(to)) return []
  return (['parents', 'children'] as const).flatMap((side) => {
    const plan = planOf(model, first, to, side)
    return plan.ends.length > 0 ? [plan] : []
  })
}

function planOf(model: GraphModel, first: GraphType, to: string, side: PathPlan['side']): PathPlan {
  const states: State[] = [{ type: first, level: LEVELS.get(first.category) }]
  const numbers = new Map<string, number>()
  const steps: PathStep[] = []
  for (let from = 0; from < states.length; from++) {
    const state = states[from]
    if (!state || (from > 0 && LAST_TYPES.has(state.type.name))) continue
    for (const { side: other, type, link } of state.type.neighbours.values()) {
      const next = other === side ? model.types.get(type) : undefined
      const level = next && levelAfter(state.level, next, side)
      if (!next || level === null) continue
      const key = `${next.name} ${level}`
      const to = numbers.get(key) ?? states.length
      if (to === states.length) {
        numbers.set(key, to)
        states.push({ type: next, level })
      }
      steps.push({ from, link, type: next.name, to })
    }
  }
  const ends = [...numbers.values()].filter((number) => states[number]?.type.name === to)
  return { side, steps: leadingTo(steps, ends), ends }
}

/** Returns the distance from cases after a step. Null if the step would change direction. */
function levelAfter(level: number | undefined, next: GraphType, side: PathPlan['side']) {
  const own = LEVELS.get(next.category)
  if (own === undefined || level === undefined) return own ?? level
  const isOnward = side === 'children' ? own >= level : own <= level
  return isOnward ? own : null
}

/** Returns the steps that are on a path to an end. */
function leadingTo(steps: readonly PathStep[], ends: readonly number[]): readonly PathStep[] {
  const useful = new Set(ends)
  for (let size = -1; size !== useful.size; ) {
    size = useful.size
    for (const { from, to } of steps) if (useful.has(to)) useful.add(from)
  }
  return steps.filter(({ to }) => useful.has(to))
}
