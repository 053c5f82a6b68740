import type { Group } from '../../groups/group.ts'

/** Response of `/analysis/copy_number_segments`. */
export interface SegmentsAnswer {
  readonly tested: number
  readonly bin_size: number
  readonly unplaced: number
  readonly chromosomes: readonly {
    readonly chromosome: string
    readonly length: number
    readonly gains: readonly number[]
    readonly losses: readonly number[]
  }[]
  readonly cases: readonly {
    readonly case_id: string
    readonly submitter_id: string | null
    readonly segments: readonly {
      readonly chromosome: string
      readonly start: number
      readonly end: number
      readonly direction: 'gain' | 'loss'
      readonly change: string
    }[]
  }[]
}

/** Cases of a group with changes in a bin. */
export interface GenomeBin {
  readonly group: string
  readonly chromosome: string
  /** First and last base on the chromosome, 1-based and inclusive. */
  readonly start: number
  readonly end: number
  /** Number of bases before `start` if all chromosomes are laid end to end. */
  readonly from: number
  readonly to: number
  readonly tested: number
  readonly gains: number
  readonly losses: number
}

/** A chromosome with the number of bases of those before it. */
export interface Extent {
  readonly name: string
  readonly from: number
  readonly to: number
}

/** Returns where each chromosome lies if all are laid end to end. */
export function extentsOf({ chromosomes }: SegmentsAnswer): readonly Extent[] {
  let from = 0
  return chromosomes.map(({ chromosome, length }) => {
    const extent = { name: chromosome, from, to: from + length }
    from += length
    return extent
  })
}

/** Returns the bins of each group along the genome. */
export function binsOf(
  groups: readonly Group[],
  answers: readonly SegmentsAnswer[],
): readonly GenomeBin[] {
  return answers.flatMap((answer, place) => {
    const { tested, bin_size: size } = answer
    const extents = extentsOf(answer)
    return answer.chromosomes.flatMap(({ chromosome, length, gains, losses }, index) => {
      const before = extents[index]?.from ?? 0
      return gains.map((count, i): GenomeBin => {
        const end = Math.min(length, (i + 1) * size)
        return {
          group: groups[place]?.name ?? '',
          chromosome,
          start: i * size + 1,
          end,
          from: before + i * size,
          to: before + end,
          tested,
          gains: count,
          losses: losses[i] ?? 0,
        }
      })
    })
  })
}

export const shareOf = (count: number, tested: number): number => (tested > 0 ? count / tested : 0)
