import { ColumnBuilder, type ScratchFile } from '../../shared/arrays/column-builder.ts'
import type { Directory } from './directory.ts'
import type { AlignmentHeader } from './header.ts'
import { outOfOrder, type ScanOutput } from './scan.ts'

/**
 * Collects the rows of a directory, extent by extent. Without a scratch file, rows are kept in memory: 42 bytes
 * per block with one run.
 */
export class DirectoryRows {
  readonly #format: AlignmentHeader['format']
  readonly #scratch: ScratchFile | undefined
  readonly #columns: Readonly<Record<ColumnName, ColumnBuilder>>
  /**
   * First run of each reference, and the run after its last. The row after the references is for records without
   * one. #first has one more row, which gets the number of all runs.
   */
  readonly #first: Uint32Array<ArrayBuffer>
  readonly #end: Uint32Array<ArrayBuffer>
  readonly #afterGap = new ColumnBuilder('Uint32Array')
  #isAscending = true
  #reference = -1
  #reach = -1
  /** End of the last block. */
  #fileEnd = 0
  #records = 0

  constructor({ names, format }: AlignmentHeader, scratch: ScratchFile | undefined) {
    this.#format = format
    this.#scratch = scratch
    this.#columns = columnsFor(format.kind === 'lines' ? 'Float64Array' : 'Int32Array')
    this.#first = new Uint32Array(names.length + 2)
    this.#end = new Uint32Array(names.length + 1)
  }

  /**
   * Adds the rows of the next extent.
   * @throws EngineError bad_input if a reference occurs again after another one
   */
  async add(extent: ScanOutput): Promise<void> {
    const columns = this.#columns
    columns.runBlock.append(this.#rowsOfRuns(extent))
    columns.reach.append(this.#reachOf(extent))
    this.#addGaps(extent)
    for (const name of COPIED) columns[name].append(extent[name])
    this.#records += extent.records
    await this.#move([...Object.values(columns), this.#afterGap])
  }

  /** Moves rows to the scratch file when enough of them are in memory. */
  async #move(columns: readonly ColumnBuilder[]): Promise<void> {
    const scratch = this.#scratch
    const held = columns.reduce((sum, { fullBytes }) => sum + fullBytes, 0)
    if (!scratch || held < scratch.movedBytes) return
    for (const column of columns) await column.moveTo(scratch)
  }

  /** Returns the row of each run's block: the first row at or after its offset. Empty blocks have no row. */
  #rowsOfRuns({ blockOffset, runBlock }: ScanOutput): Uint32Array {
    const before = this.#columns.blockOffset.length
    let row = 0
    return Uint32Array.from(runBlock, (block) => {
      while (row < blockOffset.length && blockOffset[row]! < block) row++
      return before + row
    })
  }

  #reachOf({ runReference, runEnd }: ScanOutput): ScanOutput['runEnd'] {
    const before = this.#columns.runEnd.length
    const reach = runEnd.slice()
    for (const [i, given] of runReference.entries()) {
      const reference = given === -1 ? this.#end.length - 1 : given
      if (reference !== this.#reference) this.#begin(reference, before + i)
      this.#end[reference] = before + i + 1
      this.#reach = Math.max(this.#reach, runEnd[i]!)
      reach[i] = this.#reach
    }
    return reach
  }

  #begin(reference: number, run: number): void {
    if (this.#end[reference]! > 0) throw outOfOrder(this.#format)
    if (reference < this.#reference) this.#isAscending = false
    this.#first[reference] = run
    this.#reference = reference
    this.#reach = -1
  }

  /** Collects the rows of blocks that are preceded by empty ones. */
  #addGaps({ blockOffset, blockLength }: ScanOutput): void {
    const before = this.#columns.blockOffset.length
    const rows: number[] = []
    for (const [i, offset] of blockOffset.entries()) {
      if (before + i > 0 && this.#fileEnd < offset) rows.push(before + i)
      this.#fileEnd = offset + blockLength[i]!
    }
    this.#afterGap.append(Uint32Array.from(rows))
  }

  /** Returns the directory. Its columns may lie in the scratch file. */
  async finish(): Promise<Directory> {
    const columns = this.#columns
    const scratch = this.#scratch
    columns.blockOffset.append(Float64Array.of(this.#fileEnd))
    const runs = columns.runBlock.length
    return {
      blockOffset: await columns.blockOffset.finish(scratch),
      blockLength: await columns.blockLength.finish(scratch),
      checksum: await columns.checksum.finish(scratch),
      runBlock: await columns.runBlock.finish(scratch),
      runInner: await columns.runInner.finish(scratch),
      runFirst: await columns.runFirst.finish(scratch),
      runLast: await columns.runLast.finish(scratch),
      runEnd: await columns.runEnd.finish(scratch),
      reach: await columns.reach.finish(scratch),
      runRecords: await columns.runRecords.finish(scratch),
      runUnmapped: await columns.runUnmapped.finish(scratch),
      afterGap: await this.#afterGap.finish(scratch),
      ...(this.#isAscending ? this.#ascending(runs) : this.#unordered(runs)),
      records: this.#records,
    }
  }

  /**
   * Returns the first run of each reference, for files in which references ascend. A reference without runs gets
   * the next reference's run.
   */
  #ascending(runs: number) {
    const referenceRun = this.#first
    let next = runs
    referenceRun[this.#end.length] = runs
    for (let reference = this.#end.length - 1; reference >= 0; reference--) {
      if (this.#end[reference]! > 0) next = referenceRun[reference]!
      referenceRun[reference] = next
    }
    return { referenceRun }
  }

  /**
   * Returns the same for other files, and additionally the run after the last one of each reference, and the
   * reference of each run. Records without a reference come last.
   */
  #unordered(runs: number) {
    const referenceRun = this.#first
    const referenceEnd = this.#end
    const unplaced = referenceEnd.length - 1
    const runReference = new Uint32Array(runs)
    for (const [reference, end] of referenceEnd.entries()) {
      if (end > 0) runReference.fill(reference, referenceRun[reference], end)
    }
    referenceRun[unplaced + 1] = runs
    if (referenceEnd[unplaced] === 0) referenceRun[unplaced] = runs
    referenceEnd[unplaced] = runs
    return { referenceRun, referenceEnd, runReference }
  }
}

/** Columns that are copied from each extent and concatenated. */
const COPIED = [
  'blockOffset',
  'blockLength',
  'checksum',
  'runInner',
  'runFirst',
  'runLast',
  'runEnd',
  'runRecords',
  'runUnmapped',
] as const

type ColumnName = (typeof COPIED)[number] | 'runBlock' | 'reach'

function columnsFor(positions: 'Int32Array' | 'Float64Array') {
  return {
    blockOffset: new ColumnBuilder('Float64Array'),
    blockLength: new ColumnBuilder('Uint32Array'),
    checksum: new ColumnBuilder('Uint32Array'),
    runBlock: new ColumnBuilder('Uint32Array'),
    runInner: new ColumnBuilder('Uint16Array'),
    runFirst: new ColumnBuilder(positions),
    runLast: new ColumnBuilder(positions),
    runEnd: new ColumnBuilder(positions),
    reach: new ColumnBuilder(positions),
    runRecords: new ColumnBuilder('Uint16Array'),
    runUnmapped: new ColumnBuilder('Uint16Array'),
  }
}
