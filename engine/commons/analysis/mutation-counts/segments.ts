import {
  type Bits,
  countBits,
  hasBit,
  membersOf,
  newBits,
  setBit,
} from '../../../shared/arrays/bitset.ts'
import type { Job } from '../../../shared/executor.ts'
import { lastBaseOf } from '../../datasets/chromosome-lengths.ts'
import type { Filter } from '../../query/filter-tree.ts'
import { keysOfFilter } from '../../query/keys.ts'
import { scan } from '../../query/scan.ts'
import { selectRows } from '../../query/select.ts'
import { rowsOf } from '../../query/selection.ts'
import { arraysOf } from '../../release/arrays.ts'
import { columnKey, linkKey } from '../../release/layout.ts'
import type { ArrayKey, LoadedArrays, ReleaseArrays } from '../../release/loaded.ts'
import { spelledText } from '../../release/spelling.ts'
import { jsonOf } from '../../render/values.ts'
import { CASE_NAME_KEYS, type CaseName, namesOfCases } from './case-names.ts'
import { TESTED_KEYS } from './tested-cases.ts'

interface SegmentsQuery {
  readonly cases?: Filter | undefined
  /** Number of bases per bin. */
  readonly binSize: number
  /** Maximum number of cases whose segments are listed. */
  readonly size: number
}

/** Copy-number changes along the genome, with the field names of the response. Positions are 1-based, inclusive. */
interface Segments {
  /** Number of cases that match the filter, and of those that were tested for segments. */
  readonly total: number
  readonly tested: number
  readonly bin_size: number
  /** Number of segments of tested cases without a known chromosome, place or direction, which are not counted. */
  readonly unplaced: number
  readonly chromosomes: readonly {
    readonly chromosome: string
    readonly length: number
    /** Number of tested cases with a segment of more copies that overlaps the bin, by bin. */
    readonly gains: readonly number[]
    /** The same for fewer copies. */
    readonly losses: readonly number[]
  }[]
  /** Cases with the most changed bases first. */
  readonly cases: readonly (CaseName & {
    readonly changed_bases: number
    readonly segments: readonly {
      readonly chromosome: string
      readonly start: number
      readonly end: number
      readonly direction: 'gain' | 'loss'
      readonly change: string
    }[]
  })[]
}

const OCCURRENCES = 'segment_cnv_occurrences'
const SEGMENTS = 'segment_cnvs'
const FIELDS = ['chromosome', 'start_position', 'end_position'] as const
/** Fields that name the change. The first with a value is used. */
const CHANGES = ['cnv_change_5_category', 'cnv_change'] as const

const CHROMOSOMES: readonly string[] = [
  ...Array.from({ length: 22 }, (_, i) => String(i + 1)),
  ...['X', 'Y'],
]

/** Maximum number of listed segments. Cases whose segments would exceed it are not listed. */
const MAX_LISTED = 50_000

/** Returns the keys of all arrays that the query may read, so that they can be loaded. */
export function keysOfSegments({ cases }: Pick<SegmentsQuery, 'cases'>): readonly ArrayKey[] {
  return [
    ...keysOfFilter(cases),
    ...TESTED_KEYS,
    ...CASE_NAME_KEYS,
    linkKey(OCCURRENCES, 'case'),
    linkKey(OCCURRENCES, 'segment_cnv'),
    ...[...FIELDS, ...CHANGES].map((field) => columnKey(SEGMENTS, field)),
  ]
}

/** Counts the tested cases with gains and losses along the genome. */
function segmentsOf({ cases, binSize, size }: SegmentsQuery, arrays: ReleaseArrays): Segments {
  const selected = selectRows('cases', cases, [], arrays).rows
  const genome = new Genome(arrays)
  const found = testedRows(rowsOf(selected), genome, arrays)
  const rows = membersOf(found, 0, countBits(found))
  const bins = CHROMOSOMES.map((name) => {
    const length = lastBaseOf(name, undefined)
    // One more, where a range that ends in the last bin is closed.
    const steps = () => new Int32Array(Math.ceil(length / binSize) + 1)
    return { name, length, gains: steps(), losses: steps() }
  })
  let unplaced = 0
  const changed = Float64Array.from(rows, (row) => {
    const own = genome.segmentsOf(row)
    unplaced += own.unplaced
    let bases = 0
    for (const isGain of [true, false]) {
      const ranges = own.placed.filter((one) => one.isGain === isGain)
      for (const { first, last } of joined(ranges)) bases += last - first + 1
      for (const { chromosome, first, last } of joined(ranges.map((one) => binsOf(one, binSize)))) {
        const { gains, losses } = bins[chromosome]!
        const steps = isGain ? gains : losses
        // A segment that ends behind the chromosome ends in its last bin.
        const end = steps.length - 1
        steps[Math.min(first, end - 1)]!++
        steps[Math.min(last + 1, end)]!--
      }
    }
    return bases
  })
  return {
    total: selected.count,
    tested: rows.length,
    bin_size: binSize,
    unplaced,
    chromosomes: bins.map(({ name, length, gains, losses }) => ({
      chromosome: name,
      length,
      gains: runningSums(gains),
      losses: runningSums(losses),
    })),
    cases: listed({ rows, changed, size }, genome, arrays),
  }
}

/** A range on a chromosome: of bases, or of bins. Both ends are inclusive. */
interface Range {
  /** Index in CHROMOSOMES. */
  readonly chromosome: number
  readonly first: number
  readonly last: number
}

interface Segment extends Range {
  readonly isGain: boolean
  readonly change: string
}

const binsOf = ({ chromosome, first, last }: Range, binSize: number): Range => ({
  chromosome,
  first: Math.floor((first - 1) / binSize),
  last: Math.floor((last - 1) / binSize),
})

/** Joins ranges that overlap, so that a case counts once at each place. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const found: Range[] = []
  for (const range of ranges.toSorted(byPlace)) {
    const before = found.at(-1)
    if (before?.chromosome === range.chromosome && range.first <= before.last) {
      found[found.length - 1] = { ...before, last: Math.max(before.last, range.last) }
    } else found.push(range)
  }
  return found
}

const byPlace = (one: Range, other: Range) =>
  one.chromosome - other.chromosome || one.first - other.first || one.last - other.last

/** Returns the sums of the steps up to each bin. The last step closes ranges, and is no bin. */
function runningSums(steps: Int32Array): readonly number[] {
  let sum = 0
  return Array.from(steps.subarray(0, -1), (step) => {
    sum += step
    return sum
  })
}

/** Segments of the release by case. */
class Genome {
  readonly #arrays: ReleaseArrays

  constructor(arrays: ReleaseArrays) {
    this.#arrays = arrays
  }

  hasSegments(row: number): boolean {
    const offsets = this.#arrays.link(OCCURRENCES, 'case')?.reverseOffsets
    return offsets !== undefined && offsets[row + 1]! > offsets[row]!
  }

  /** Returns the segments of a case, and the number of those that cannot be placed. */
  segmentsOf(row: number): { readonly placed: readonly Segment[]; readonly unplaced: number } {
    const byCase = this.#arrays.link(OCCURRENCES, 'case')
    const segments = this.#arrays.link(OCCURRENCES, 'segment_cnv')?.targets
    if (!byCase || !segments) return { placed: [], unplaced: 0 }
    const placed: Segment[] = []
    const [from, end] = [byCase.reverseOffsets[row]!, byCase.reverseOffsets[row + 1]!]
    for (let i = from; i < end; i++) {
      const segment = this.#segmentAt(segments[byCase.reverseElements[i]!]! - 1)
      if (segment) placed.push(segment)
    }
    return { placed, unplaced: end - from - placed.length }
  }

  #segmentAt(row: number): Segment | undefined {
    if (row < 0) return undefined
    const name = this.#text('chromosome', row).replace(/^chr/i, '').toUpperCase()
    const chromosome = CHROMOSOMES.indexOf(name)
    const [first, last] = [this.#number('start_position', row), this.#number('end_position', row)]
    const change = CHANGES.map((field) => this.#text(field, row)).find((text) => text !== '') ?? ''
    const isGain = /^(gain|amplification)$/i.test(change)
    const isKnown = isGain || /^(loss|(homozygous )?deletion)$/i.test(change)
    if (chromosome < 0 || !isKnown || !(first >= 1) || !(last >= first)) return undefined
    return { chromosome, first, last, isGain, change }
  }

  #text(field: string, row: number): string {
    const column = this.#arrays.column(SEGMENTS, field)
    const code = column?.codes?.[row] ?? 0
    return column && code > 0 ? spelledText(column, code) : ''
  }

  #number(field: string, row: number): number {
    const column = this.#arrays.column(SEGMENTS, field)
    return column?.dictionary.number(column.codes?.[row] ?? 0) ?? Number.NaN
  }
}

/** Returns the cases that were tested for segments: their record says so, or they have one. */
function testedRows(rows: Iterable<number>, genome: Genome, arrays: ReleaseArrays): Bits {
  const available = arrays.column('cases', 'available_variation_data')
  const code = available?.dictionary.find('segment_cnv') ?? 0
  const size = arrays.rows('cases')
  const said = available && code > 0 ? scan(available, [code, code + 1], size) : newBits(size)
  const tested = newBits(size)
  for (const row of rows) if (hasBit(said, row) || genome.hasSegments(row)) setBit(tested, row)
  return tested
}

interface Listing {
  readonly rows: Uint32Array
  /** Number of changed bases of each case. */
  readonly changed: Float64Array
  readonly size: number
}

function listed(
  { rows, changed, size }: Listing,
  genome: Genome,
  arrays: ReleaseArrays,
): Segments['cases'] {
  const nameOf = namesOfCases(arrays)
  // The sort is stable, so equal cases keep the order of ids.
  const order = Array.from(rows.keys()).sort((a, b) => changed[b]! - changed[a]!)
  const cases: Segments['cases'][number][] = []
  let segments = 0
  for (const place of order.slice(0, size)) {
    const own = genome.segmentsOf(rows[place]!).placed.toSorted(byPlace)
    segments += own.length
    if (segments > MAX_LISTED) break
    cases.push({
      ...nameOf(rows[place]!),
      changed_bases: changed[place]!,
      segments: own.map(({ chromosome, first, last, isGain, change }) => ({
        chromosome: CHROMOSOMES[chromosome]!,
        start: first,
        end: last,
        direction: isGain ? 'gain' : 'loss',
        change,
      })),
    })
  }
  return cases
}

interface SegmentsInput {
  readonly query: SegmentsQuery
  readonly loaded: LoadedArrays
  readonly pretty: boolean
}

export const segmentsJob: Job<SegmentsInput, Uint8Array<ArrayBuffer>> = {
  name: 'mutation-counts.segments',
  run: ({ query, loaded, pretty }) => jsonOf(segmentsOf(query, arraysOf(loaded)), { pretty }),
  transfer: (bytes) => [bytes.buffer],
}
