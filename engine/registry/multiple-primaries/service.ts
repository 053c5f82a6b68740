import { LoopTurns } from '../../shared/concurrency/loop-turns.ts'
import type { Database } from '../../shared/database/database.ts'
import { inlineExecutor } from '../../shared/executor.ts'
import {
  type AnsweredLines,
  LineBatches,
  type LineSource,
  type LinesRun,
} from '../ndjson-batch/line-batches.ts'
import { yearOfSystem } from '../staging/algorithm/year-clock.ts'
import { type CompareLines, compareLinesJob } from './compare-lines.ts'
import { comparePair } from './compare-pair.ts'
import { CurrentRules } from './current-rules.ts'
import { doubtsOfPair } from './doubts.ts'
import {
  type ImportedHematopoietic,
  importHematopoietic,
  useShipped,
} from './import-hematopoietic.ts'
import { type PatientResult, patientSteps } from './patient.ts'
import { TableRepository } from './repository.ts'
import type { MphGroup, MphResult } from './result.ts'
import type { SamePrimarySource } from './same-primary.ts'
import { parsePair } from './tumour.ts'

export interface MultiplePrimariesOptions {
  /** The database that sharedState opens. @internal */
  readonly state: Database
  /** Returns the current year in four digits. Defaults to the system clock. */
  readonly yearNow?: (() => string) | undefined
  /** Defaults to comparing batches on the calling thread. */
  readonly batches?: LineBatches | undefined
  /** Yields to the event loop. By default the instance has its own. */
  readonly turns?: LoopTurns | undefined
}

export interface CompareOptions {
  /** Called for each questionable date. */
  readonly warn?: (sentence: string) => void
}

/**
 * Decides whether tumors are one primary or several (registry-service.md 4.4, registry.md 7.8,
 * multiple-primaries.md). Bodies are parsed JSON, and answers are plain JSON. Invalid values in a tumor are
 * reported in the answer. A missing tumor, a tumor that is no object, or a member that is no text throws
 * EngineError `bad_input`.
 */
export class MultiplePrimaries {
  readonly #repository: TableRepository
  readonly #yearNow: () => number
  readonly #current: CurrentRules
  readonly #batches: LineBatches
  readonly #turns: LoopTurns

  constructor({ state, yearNow = yearOfSystem(), batches, turns }: MultiplePrimariesOptions) {
    this.#repository = new TableRepository(state)
    this.#yearNow = () => Number(yearNow())
    this.#batches = batches ?? new LineBatches(inlineExecutor)
    this.#turns = turns ?? new LoopTurns()
    this.#current = new CurrentRules(this.#repository, this.#yearNow, this.#turns)
  }

  /** Compares two tumors: `{"input1": {...}, "input2": {...}}`. */
  async compare(body: unknown, { warn }: CompareOptions = {}): Promise<MphResult> {
    const pair = parsePair(body)
    if (warn) for (const text of doubtsOfPair(pair, this.#yearNow())) warn(text)
    return comparePair(await this.#current.rules(), pair)
  }

  /**
   * Compares pairs, given as one JSON object per line. Answers each line in order with an MphResult, which has
   * `warnings` for questionable dates. All pairs use the tables and the year at the start.
   * @throws EngineError `busy` if too many batches are running
   */
  compareLines(lines: LineSource, run: LinesRun = {}): Promise<AnsweredLines> {
    const given = () => this.comparedBy()
    return this.#batches.start(lines, { job: compareLinesJob, given }, run)
  }

  /** Returns the current input of compareLines, so that other processes can compare lines. @internal */
  comparedBy(): Promise<CompareLines> {
    return this.#current.given()
  }

  /** Compares all tumors of a patient with each other: `{"tumours": [...]}`; see comparePatient. */
  async patient(body: unknown, { warn }: CompareOptions = {}): Promise<PatientResult> {
    const rules = await this.#current.rules()
    return this.#turns.run(patientSteps(rules, body, this.#yearNow(), warn))
  }

  /** Returns the ids of the groups of rules, in the order in which they are tried. */
  async groups(): Promise<readonly string[]> {
    return (await this.#current.rules()).groups()
  }

  /** Returns the current same-primary table; see Rules. @internal */
  async samePrimaries(): Promise<SamePrimarySource<string>> {
    const rules = await this.#current.rules()
    return { matches: (...asked) => rules.listsAsSame(...asked) }
  }

  /**
   * Returns a group of rules.
   * @throws EngineError `not_found` if there is no group with this id
   */
  async group(id: string): Promise<MphGroup> {
    return (await this.#current.rules()).group(id)
  }

  /** Replaces hematopoietic tables with files; see importHematopoietic. */
  import(
    paths: readonly string[],
    run: { readonly dryRun?: boolean } = {},
  ): Promise<ImportedHematopoietic> {
    return importHematopoietic(this.#repository, paths, run)
  }

  /** Returns to the tables shipped with the program. */
  useShipped(run: { readonly dryRun?: boolean } = {}): Promise<ImportedHematopoietic> {
    return useShipped(this.#repository, run)
  }
}
