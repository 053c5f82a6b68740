// What a bench is made of. A bench runs contests; a contest lets contenders take turns and compares
// the series of numbers that they give.

/** Something that is measured once in every round. One turn may give several series. */
export interface Contender {
  turn(): Promise<Readonly<Record<string, number>>>
}

/** How two series of one contest are put beside each other. */
export interface Comparison {
  /** Series of the code under test. */
  readonly ours: string
  /** Series of the other; left out, ours is held against the target alone. */
  readonly peer?: string
  /** `times as fast` is peer / ours, `times as long` is ours / peer. */
  readonly as?: 'times as fast' | 'times as long'
  /** For the comparison's figure; left out, the row is told for orientation. */
  readonly target?:
    | { readonly atLeast: number }
    | { readonly atMost: number }
    /** How far the figure may be from 1, to either side. */
    | { readonly within: number }
}

export interface Contest {
  readonly workload: string
  readonly unit: 'ms' | 'kB' | 'MB' | 'of an equal share'
  readonly rounds: number
  readonly contenders: readonly Contender[]
  readonly comparisons: readonly Comparison[]
}

export type Series = Readonly<Record<string, readonly number[]>>

/** One line of the table. */
export interface Row {
  readonly workload: string
  readonly unit: Contest['unit']
  readonly ours: string
  readonly oursMedian: number
  readonly peer: string | undefined
  readonly peerMedian: number | undefined
  readonly as: NonNullable<Comparison['as']> | undefined
  /** Median of the rounds' ratios, or our median where there is no peer. */
  readonly figure: number
  /** The ratio of every round. */
  readonly ratios: readonly number[]
  readonly target: Comparison['target'] | undefined
  readonly met: boolean | undefined
}

export interface ContestOutcome {
  readonly workload: string
  readonly unit: Contest['unit']
  readonly series: Series
  readonly rows: readonly Row[]
}

export interface BenchOptions {
  /** A small input, for trying the bench out; its figures mean little. */
  readonly quick: boolean
  /** Left out, what each workload has by default. */
  readonly rounds: number | undefined
  readonly chosen: (workload: string) => boolean
  /** Checkout of a former build to compare with, for benches that do. */
  readonly former: string | undefined
  /** Says what is going on, for a person who waits. */
  readonly note: (text: string) => void
}

export interface BenchOutcome {
  /** What was measured with, and the proof that it is what it should be. */
  readonly input: Readonly<Record<string, unknown>>
  readonly contests: readonly ContestOutcome[]
  /** What a reader of the figures has to know. */
  readonly findings: readonly string[]
}

export interface Bench {
  readonly workloads: readonly string[]
  run(options: BenchOptions): Promise<BenchOutcome>
}
