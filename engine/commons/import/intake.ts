import { EngineError } from '../../shared/errors.ts'
import {
  type ColumnReport,
  ColumnTallies,
  type ColumnTally,
} from '../../shared/input/column-tally.ts'
import type { JsonObject } from '../../shared/input/json-value.ts'
import { mostFrequent } from '../../shared/input/name-counts.ts'
import type { DatasetName } from '../datasets/define.ts'
import { DATASETS } from '../datasets/index.ts'
import type { VersionStep } from '../files/versions/step.ts'
import { withAnnotations } from './annotation-parts.ts'
import { type BuildCount, Builds } from './builds.ts'
import { type DoubtCount, Doubts } from './doubts.ts'
import { isRefused, type JoinReport, Joins, type NewCases } from './joins.ts'
import type { BadRow, SourceReport } from './report.ts'
import { RowError } from './row-error.ts'
import { type Shape, shapeOf, type Tidying, tidyRecord } from './shape.ts'
import { type EmitPart, type Part, RANKS, type Rank, splitRecord } from './split-record.ts'
import type { StagingTarget, WrittenPart } from './staged-entries.ts'
import { type Measure, type MeasureCount, UnitDoubts } from './unit-doubts.ts'
import { VitalCodes, type VitalCounts } from './vital-codes.ts'

interface IntakeLimits {
  /** Number of bad rows to tolerate. If there are more, the import ends. */
  readonly maxErrors: number
  /** How to treat rows whose case is not otherwise known. `isRefused` describes the default. */
  readonly newCases?: NewCases | undefined
  /** Number of bad rows to list individually, 100 by default. */
  readonly maxReported?: number
  /** Shapes to reuse from an earlier intake. */
  readonly shapes?: Shapes
}

/** Number of names in the message of a refused import. */
const MAX_NAMED = 3
/** Number of bad rows to list individually. */
const MAX_REPORTED = 100

/** Shapes of records by dataset, each built on first use. */
export class Shapes {
  readonly #known = new Map<DatasetName, Shape>()

  of(dataset: DatasetName): Shape {
    const known = this.#known.get(dataset)
    if (known) return known
    const shape = shapeOf(DATASETS[dataset])
    this.#known.set(dataset, shape)
    return shape
  }
}

/** Counts of some rows of a source. */
export interface Counted {
  /** Number of rows or JSON records. */
  readonly rows: number
  /** All bad rows. Reports contain only the first ones. */
  readonly badRows: readonly BadRow[]
  readonly repeatedHeaders: number
  /** Number of values that mean no change. */
  readonly neutral: number
  readonly missing: number
  /** Number of records by dataset. */
  readonly records: readonly (readonly [DatasetName, number])[]
  /** Unknown fields or unused columns, with their numbers. */
  readonly unknown: readonly (readonly [string, number])[]
  readonly columns: readonly ColumnReport[]
  readonly joins: JoinReport
  readonly measures: readonly MeasureCount[]
  /** Forms of numbers by column. */
  readonly forms: ColumnTallies['forms']
  readonly doubts: readonly DoubtCount[]
  readonly builds: readonly BuildCount[]
  readonly vital: VitalCounts
}

/** Passes records of all sources, in any order, to the staging. Counts them. */
export class Intake {
  readonly #staging: StagingTarget
  readonly #maxErrors: number
  readonly #maxReported: number
  readonly #newCases: NewCases | undefined
  readonly #shapes: Shapes
  readonly #emit: EmitPart
  readonly #tidying: Tidying
  readonly badRows: BadRow[] = []
  readonly reports: SourceReport[] = []
  #badRows = 0
  #source = ''
  #rows = 0
  #badRowsHere = 0
  #repeatedHeaders = 0
  #neutral = 0
  #missing = 0
  #records = new Map<DatasetName, number>()
  #unknown = new Map<string, number>()
  #tallies = new ColumnTallies(() => this.#line)
  #joins = new Joins()
  #units = new UnitDoubts()
  #doubts = new Doubts()
  readonly #builds = new Builds()
  #vital = new VitalCodes()
  #line = 0

  constructor(
    staging: StagingTarget,
    { maxErrors, newCases, maxReported = MAX_REPORTED, shapes = new Shapes() }: IntakeLimits,
  ) {
    this.#maxReported = maxReported
    this.#newCases = newCases
    this.#staging = staging
    this.#maxErrors = maxErrors
    this.#shapes = shapes
    this.#tidying = {
      noteUnknown: (path) => this.unknownColumns([path], 1),
      tallyOf: (path) => this.tallyOf(path),
      noteMeasure: (path, measure, value) => this.noteMeasure(path, measure, value),
      noteDoubt: (reason, cell) => this.doubt(reason, cell),
    }
    this.#emit = withAnnotations((part) => staging.put(part))
  }

  begin(source: string): void {
    this.#staging.from(source)
    this.#source = source
    this.#rows = 0
    this.#badRowsHere = 0
    this.#repeatedHeaders = 0
    this.#neutral = 0
    this.#missing = 0
    this.#records = new Map()
    this.#unknown = new Map()
    this.#tallies = new ColumnTallies(() => this.#line)
    this.#joins = new Joins()
    this.#units = new UnitDoubts()
    this.#doubts = new Doubts()
    this.#builds.begin()
    this.#vital = new VitalCodes()
  }

  /** Sets the line of a header, which is no row. */
  atHeader(line: number): void {
    this.#line = line
  }

  /** Number of the line being read. */
  get line(): number {
    return this.#line
  }

  /** Numbers of rows of this source whose case is known, and whose case is not known. */
  get joins(): Joins {
    return this.#joins
  }

  /** Returns the tally for a column's cells, or for a field's values in JSON records. Creates it on first use. */
  tallyOf(name: string): ColumnTally {
    return this.#tallies.of(name)
  }

  /**
   * Ends the source that `begin` started and adds its report.
   * @param hasCases whether cases were known before this source
   * @throws EngineError bad_input if the source names new cases that are refused
   */
  end(kind: string, hasCases = false): void {
    const joins = this.#joins.report
    const newCases = this.#newCases
    if (isRefused(joins, { newCases, hasCases })) throw this.#noNewCases(joins)
    const vital = this.#vital.doubt()
    const doubts = [
      ...(vital === undefined ? [] : [vital]),
      ...this.#units.doubts,
      ...this.#tallies.doubts,
      ...this.#doubts.texts,
      ...this.#builds.end(this.#source),
    ]
    this.reports.push({
      source: this.#source,
      kind,
      rows: this.#rows,
      records: Object.fromEntries(this.#records),
      badRows: this.#badRowsHere,
      ...(this.#repeatedHeaders > 0 ? { repeatedHeaders: this.#repeatedHeaders } : {}),
      ...(this.#neutral > 0 ? { neutral: this.#neutral } : {}),
      ...(this.#missing > 0 ? { missing: this.#missing } : {}),
      unknownFields: mostFrequent(this.#unknown),
      columns: this.#tallies.report(),
      joins: newCases === 'allow' ? { ...joins, names: [] } : joins,
      ...(hasCases ? { hadCases: true } : {}),
      ...(doubts.length > 0 ? { doubts } : {}),
    })
  }

  /** Returns all counts since `begin`. */
  get counted(): Counted {
    return {
      rows: this.#rows,
      badRows: this.badRows,
      repeatedHeaders: this.#repeatedHeaders,
      neutral: this.#neutral,
      missing: this.#missing,
      records: [...this.#records],
      unknown: [...this.#unknown],
      columns: this.#tallies.report(),
      joins: this.#joins.report,
      measures: this.#units.counts,
      forms: this.#tallies.forms,
      doubts: this.#doubts.counts,
      builds: this.#builds.counts,
      vital: this.#vital.counts,
    }
  }

  /**
   * Adds the counts of another intake, which has read the next rows of the source.
   * @throws EngineError bad_input for too many bad rows
   */
  absorb(counted: Counted): void {
    this.#rows += counted.rows
    for (const { line, reason } of counted.badRows) this.#noteBad(line, reason)
    this.#repeatedHeaders += counted.repeatedHeaders
    this.unchanged(counted)
    for (const [dataset, count] of counted.records) this.#countRecords(dataset, count)
    for (const [name, rows] of counted.unknown) this.unknownColumns([name], rows)
    for (const column of counted.columns) this.tallyOf(column.name).absorb(column)
    this.#joins.absorb(counted.joins)
    this.#units.absorb(counted.measures)
    for (const [name, forms] of counted.forms) this.tallyOf(name).absorbForms(forms)
    this.#doubts.absorb(counted.doubts)
    this.#builds.absorb(counted.builds)
    this.#vital.absorb(counted.vital)
  }

  notTaken(source: string, reason: string): void {
    const nothing = {
      rows: 0,
      records: {},
      badRows: 0,
      unknownFields: [],
      columns: [],
      joins: new Joins().report,
    }
    this.reports.push({ source, notTaken: reason, ...nothing })
  }

  /**
   * Counts a row and processes it. A RowError is recorded as a bad row.
   * @throws EngineError bad_input for too many bad rows
   */
  row(line: number, take: () => void): void {
    this.#rows++
    this.#staging.atLine(line)
    this.#line = line
    try {
      take()
    } catch (error) {
      if (!(error instanceof RowError)) throw error
      this.#noteBad(line, error.message)
    }
  }

  /**
   * Stages a record, split into its documents.
   * @throws RowError if the record has no id, or cannot be split
   */
  record(dataset: DatasetName, record: JsonObject, rank: Rank = RANKS.described): void {
    const tidy = tidyRecord(record, this.#shapes.of(dataset), this.#tidying)
    splitRecord(DATASETS[dataset], tidy, this.#emit, rank)
    this.#countRecords(dataset, 1)
  }

  /** Stages a document that needs no splitting. If it describes its record, it is counted as a record. */
  part(part: Part): void {
    this.#staging.put(part)
    if (part.rank === RANKS.described) this.#countRecords(part.dataset, 1)
  }

  /** Stages a document that is already text. Counts it in the same way as `part`. */
  written(part: WrittenPart): void {
    this.#staging.putWritten(part)
    if (part.rank === RANKS.described) this.#countRecords(part.dataset, 1)
  }

  /** Counts a repeated header in a table, or a line above such a header. */
  skipHeader(): void {
    this.#repeatedHeaders++
  }

  /** Counts values that mean no change or are missing, for which no record is made. */
  unchanged(values: { readonly neutral: number; readonly missing: number }): void {
    this.#neutral += values.neutral
    this.#missing += values.missing
  }

  /** Counts a number in a field whose numbers are often in another unit. */
  noteMeasure(field: string, measure: Measure, value: number): void {
    this.#units.add(field, measure, value)
  }

  /**
   * Counts a value of the current line that is imported although it is probably wrong.
   * @param reason reason for the doubt, as it follows a number
   */
  doubt(reason: string, cell: string): void {
    this.#doubts.add(reason, { cell, line: this.#line })
  }

  /**
   * Returns the vital status of a row in words, and counts those that are codes.
   * @param daysToDeath the days to death of the row, which show what its code means
   */
  vitalStatus(status: string | undefined, daysToDeath: number | undefined): string | undefined {
    if (status !== '0' && status !== '1') return status
    const isDead = status === '1'
    this.#vital.add(isDead, daysToDeath !== undefined)
    return isDead ? 'Dead' : 'Alive'
  }

  /** Counts a row with positions by its reference build. Undefined means that the row names none. */
  noteBuild(build: string | undefined): void {
    this.#builds.add(build ?? '', this.#line)
  }

  /** Sets the reference build of records from before the first source. */
  knowBuild(build: string, source: string): void {
    this.#builds.know(build, source)
  }

  /** Stages a version step: the replacement of a file. */
  step(step: VersionStep, rank: Rank = RANKS.described): void {
    this.#staging.putStep(step, rank)
  }

  unknownColumns(names: readonly string[], rows: number): void {
    for (const name of names) this.#unknown.set(name, (this.#unknown.get(name) ?? 0) + rows)
  }

  #countRecords(dataset: DatasetName, count: number): void {
    this.#records.set(dataset, (this.#records.get(dataset) ?? 0) + count)
  }

  #noNewCases({ joined, unjoined, names }: JoinReport): EngineError {
    const some = names.slice(0, MAX_NAMED).map((name) => `"${name}"`)
    return new EngineError(
      'bad_input',
      `${unjoined} of ${joined + unjoined} rows of "${this.#source}" belong to no case of the release or of the other sources, such as ${some.join(', ')}; correct the names, import the cases first, or make new cases with --new-cases allow`,
      { at: this.#source },
    )
  }

  #noteBad(line: number, reason: string): void {
    this.#badRowsHere++
    this.#badRows++
    if (this.badRows.length < this.#maxReported)
      this.badRows.push({ source: this.#source, line, reason })
    if (this.#badRows > this.#maxErrors) {
      throw new EngineError(
        'bad_input',
        `more than ${this.#maxErrors} rows cannot be taken; the last is line ${line} of "${this.#source}": ${reason}`,
        { at: `${this.#source}:${line}` },
      )
    }
  }
}
