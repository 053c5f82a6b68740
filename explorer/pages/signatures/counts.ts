import type { Group } from '../../groups/group.ts'

/** Response of `/analysis/mutation_burden` with `contexts=true`. */
export interface SpectrumAnswer {
  readonly tested: number
  readonly classes: readonly string[]
  readonly counts: readonly number[]
  readonly contexts: readonly string[]
  readonly context_counts: readonly number[]
  readonly unknown_contexts: number
}

/** Number of substitutions of a kind in a group. */
export interface SpectrumBar {
  readonly group: string
  /** Class such as `C>A`, or context such as `A[C>A]T`. */
  readonly name: string
  /** Class of the substitution. */
  readonly substitution: string
  readonly count: number
  /** Fraction of all bars of the group. 0 without any. */
  readonly share: number
}

/** Classes of substitutions of one base, which come first in an answer. */
const SUBSTITUTIONS = 6

/** Returns the substitutions of each group by class. */
export const classBars = (groups: readonly Group[], answers: readonly SpectrumAnswer[]) =>
  barsOf(groups, answers, ({ classes, counts }) => ({
    names: classes.slice(0, SUBSTITUTIONS),
    counts: counts.slice(0, SUBSTITUTIONS),
  }))

/** Returns the substitutions of each group by context. */
export const contextBars = (groups: readonly Group[], answers: readonly SpectrumAnswer[]) =>
  barsOf(groups, answers, ({ contexts, context_counts: counts }) => ({ names: contexts, counts }))

interface Counted {
  readonly names: readonly string[]
  readonly counts: readonly number[]
}

function barsOf(
  groups: readonly Group[],
  answers: readonly SpectrumAnswer[],
  countedOf: (answer: SpectrumAnswer) => Counted,
): readonly SpectrumBar[] {
  return answers.flatMap((answer, place) => {
    const { names, counts } = countedOf(answer)
    const all = counts.reduce((sum, count) => sum + count, 0)
    return names.map((name, i) => {
      const count = counts[i] ?? 0
      return {
        group: groups[place]?.name ?? '',
        name,
        substitution: /[CT]>[ACGT]/.exec(name)?.[0] ?? '',
        count,
        share: all === 0 ? 0 : count / all,
      }
    })
  })
}
