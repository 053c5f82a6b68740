import type { InputName } from './layout.ts'

/** Numbers of records that the file and the slices of layout.ts hold. */
export interface Pins {
  readonly file: number
  /** All small slices together; records that two of them share count twice. */
  readonly small: number
  readonly mid: number
  readonly chromosomes: number
  readonly genes: number
}

// From samtools 1.16.1, with files made by Node 24.21.0 (`node fixtures/make.ts bam --profile bench`
// and `--bytes`):
//   file         samtools idxstats FILE | awk '{s += $3 + $4} END {print s}'
//   small        for each region: samtools view -c FILE chr1:S-E; the sum
//   mid          samtools view -c FILE chr1:S-E          (full: chr1:19999991-34999990)
//   chromosomes  samtools view -c FILE chr1 chr2
//   genes        samtools view -c -M -L genes.bed FILE   (full: 657 merged intervals)
// sambamba slice -L 1.0.0 gives 1190 records more for the genes of the full file and 148 more for
// those of the quick one: reads that reach into two intervals, twice.
export const PINS: Readonly<Record<InputName, Pins>> = {
  full: {
    file: 13_042_358,
    small: 533_664,
    mid: 3_002_590,
    chromosomes: 9_776_286,
    genes: 3_867_844,
  },
  quick: {
    file: 1_426_842,
    small: 530_520,
    mid: 329_372,
    chromosomes: 1_069_069,
    genes: 439_439,
  },
  test: { file: 191_894, small: 534_645, mid: 43_968, chromosomes: 143_694, genes: 57_480 },
}
