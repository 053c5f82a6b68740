import type { NamedInterval } from '../../../engine/shared/input/region.ts'
import type { ThreadPool } from '../../../workers/pool.ts'
import type { Home } from './input.ts'
import type { InputName, Layout } from './layout.ts'
import type { How, SliceTime } from './ours.ts'
import type { Peers } from './peers.ts'
import type { SavedSlices } from './saved.ts'

/** What every workload gets. */
export interface Stage {
  readonly home: Home
  /** The file itself, for programs that take its path. */
  readonly bam: string
  readonly layout: Layout
  readonly layoutName: InputName
  /** The threads of this process. */
  readonly pool: ThreadPool
  /** Makes a slice in this process and drops its bytes. */
  readonly slice: (how: How, intervals: readonly NamedInterval[]) => Promise<SliceTime>
  /** Makes a slice in this process as a file. */
  readonly save: (how: How, intervals: readonly NamedInterval[], path: string) => Promise<void>
  readonly peers: Peers
  /** The genes, one merged interval a line. */
  readonly genesBed: string
  readonly smallBed: string
  /** The slices by the directory, as files. */
  readonly saved: SavedSlices
  /** For files of this run alone. */
  readonly scratch: string
  readonly rounds: (usual: number) => number
  readonly note: (text: string) => void
}
